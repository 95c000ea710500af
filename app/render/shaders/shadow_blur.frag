// One direction of a Gaussian whose width differs a channel.
uniform sampler2D source;
uniform vec2 along;         // 1, 0 or 0, 1
uniform vec3 weights[8];    // of the middle and of what is so many texels off, for low, middling and high
out vec4 result;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    ivec2 step = ivec2(along);
    ivec2 last = textureSize(source, 0) - 1;
    vec3 sum = weights[0] * texelFetch(source, p, 0).rgb;
    for (int k = 1; k < 8; ++k) {
        sum += weights[k] * (texelFetch(source, min(p + k * step, last), 0).rgb
                             + texelFetch(source, max(p - k * step, 0), 0).rgb);
    }
    result = vec4(sum, 1.0);
}
