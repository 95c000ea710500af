in vec3 direction;
uniform vec3 sky_top;
uniform vec3 sky_horizon;
uniform float glow;
out vec4 result;
void main() {
    float e = direction.y * inversesqrt(dot(direction, direction));
    vec3 c = mix(sky_horizon, sky_top, pow(clamp(e / 0.20, 0.0, 1.0), 0.8));
    float g = e / 0.0045;
    result = vec4(c + glow * exp(-0.5 * g * g), 1.0);
}
