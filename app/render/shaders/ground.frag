// The ground seen from above: gradient, grid, world lines.
in vec3 origin;
in vec3 direction;
uniform vec3 ground_far;
uniform vec3 ground_near;
uniform float flat_ground;  // 1: a parallel view from the top, without a gradient
uniform vec3 glow;
out vec4 result;
//@include gradient.glsl
//@include grid.glsl

void main() {
    float e = direction.y * inversesqrt(dot(direction, direction));
    float t = power_062(clamp(e * (-1.0 / 0.34), 0.0, 1.0));
    vec3 c = mix(ground_far, ground_near, mix(t, 0.72, flat_ground));
    c = mix(c, glow, (0.5 - 0.5 * flat_ground) * horizon_light(e));
    vec2 p = (origin - direction * (origin.y / min(direction.y, -1e-5))).xz;
    vec2 density = 1.0 / max(fwidth(p), vec2(1e-6));
    vec2 away = p - focus;
    float r = sqrt(dot(away, away));
    float x = clamp((7.0 - r) * (1.0 / 4.8), 0.0, 1.0);
    float near = mix(x * sqrt(x), 1.0, flat_ground) * grid;
    c = mix(c, grid_colour, max(0.34 * lines(p, density, 0.25), 0.85 * lines(p, density, 1.0)) * near);
    float far = mix(clamp((16.0 - r) * (1.0 / 12.0), 0.0, 1.0), 1.0, flat_ground) * 0.75 * grid;
    c = mix(c, axis_x, far * line(p.y, density.y, 1.5));
    c = mix(c, axis_z, far * line(p.x, density.x, 1.5));
    result = vec4(c, 1.0);
}
