// The ground seen from above: gradient, grid, world lines.
in vec3 origin;
in vec3 direction;
uniform vec3 ground_far;
uniform vec3 ground_near;
uniform float flat_ground;  // 1: a parallel view from the top, without a gradient
uniform float glow;
out vec4 result;
//@include grid.glsl

void main() {
    float e = direction.y * inversesqrt(dot(direction, direction));
    float t = pow(clamp(-e / 0.34, 0.0, 1.0), 0.62);
    vec3 c = mix(ground_far, ground_near, mix(t, 0.72, flat_ground));
    float g = e / 0.0045;
    c += (1.0 - flat_ground) * glow * exp(-0.5 * g * g);
    vec2 p = (origin - direction * (origin.y / min(direction.y, -1e-5))).xz;
    vec2 size = max(fwidth(p), vec2(1e-6));
    float r = distance(p, focus);
    float near = mix(pow(clamp((7.0 - r) / 4.8, 0.0, 1.0), 1.6), 1.0, flat_ground) * grid;
    float fine = 0.34 * lines(p, size, 0.25);
    float coarse = 0.85 * lines(p, size, 1.0);
    c = mix(c, grid_colour, max(fine, coarse) * near);
    float far = mix(clamp((16.0 - r) / 12.0, 0.0, 1.0), 1.0, flat_ground) * 0.75 * grid;
    c = mix(c, axis_x, far * line(p.y, size.y, 1.5));
    c = mix(c, axis_z, far * line(p.x, size.x, 1.5));
    result = vec4(c, 1.0);
}
