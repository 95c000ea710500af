// Front and side: the sky's gradient over the height, the ground as a strip below y = 0, the grid behind.
in vec3 origin;
uniform vec3 sky_top;
uniform vec3 sky_horizon;
uniform vec3 ground_far;
uniform vec3 ground_near;
uniform vec3 across;   // the world axis that runs to the right
uniform float density;  // pixels a metre
out vec4 result;
//@include gradient.glsl
//@include grid.glsl

void main() {
    float y = origin.y;
    vec2 p = vec2(dot(origin, across), y);
    vec3 sky = mix(sky_horizon, sky_top, power_08(clamp(y / 2.2, 0.0, 1.0)));
    vec3 soil = mix(ground_far, ground_near, power_062(clamp(-y / 1.2, 0.0, 1.0)));
    float below = clamp(0.5 - y * density, 0.0, 1.0);
    vec3 c = mix(sky, soil, below);
    float fade = grid * (1.0 - 0.6 * below);
    c = mix(c, grid_colour, fade * max(0.16 * lines(p, vec2(density), 0.25), 0.40 * lines(p, vec2(density), 1.0)));
    c = mix(c, grid_colour, 0.85 * line(y, density, 1.5));
    result = vec4(c, 1.0);
}
