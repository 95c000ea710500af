// A tilted floor: its ground and grid, fading away from the middle. Not premultiplied.
in vec2 place;
uniform vec3 ground_near;
uniform float reach;
out vec4 result;
//@include grid.glsl

void main() {
    vec2 density = 1.0 / max(fwidth(place), vec2(1e-6));
    vec2 away = place - focus;
    float r = sqrt(dot(away, away)) / reach;
    float x = clamp((1.0 - r) * 1.45, 0.0, 1.0);
    float fade = x * sqrt(x);
    float mesh = max(0.34 * lines(place, density, 0.25), 0.85 * lines(place, density, 1.0)) * grid;
    result = vec4(mix(ground_near, grid_colour, mesh), fade * mix(0.72, 1.0, mesh));
}
