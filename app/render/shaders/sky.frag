in vec3 direction;
uniform vec3 sky_top;
uniform vec3 sky_horizon;
uniform vec3 glow;
out vec4 result;
//@include gradient.glsl

void main() {
    float e = direction.y * inversesqrt(dot(direction, direction));
    vec3 c = mix(sky_horizon, sky_top, power_08(clamp(e * 5.0, 0.0, 1.0)));
    result = vec4(mix(c, glow, 0.5 * horizon_light(e)), 1.0);
}
