in vec2 uv;
uniform sampler2D source;
uniform float density;
out vec4 result;
void main() {
    vec3 s = texture(source, uv).rgb;
    result = vec4(0.0, 0.0, 0.0, density * min(s.r + 0.85 * s.g + 0.6 * s.b, 1.0));
}
