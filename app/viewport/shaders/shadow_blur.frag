// One direction of a Gaussian whose width differs a channel.
in vec2 uv;
uniform sampler2D source;
uniform vec2 along;      // one texel
uniform vec3 falloff;    // 1 / (2 sigma^2) in texels, for low, middling and high
out vec4 result;
void main() {
    vec3 sum = texture(source, uv).rgb;
    vec3 total = vec3(1.0);
    for (int k = 1; k <= 7; ++k) {
        vec3 w = exp(-falloff * float(k * k));
        sum += w * (texture(source, uv + float(k) * along).rgb + texture(source, uv - float(k) * along).rgb);
        total += 2.0 * w;
    }
    result = vec4(sum / total, 1.0);
}
