// Lines one pixel wide, with their own anti-aliasing. Lengths in metres; `density` is pixels a metre.
uniform vec3 grid_colour;
uniform vec3 axis_x;
uniform vec3 axis_z;
uniform vec2 focus;
uniform float grid;
uniform float least;  // a cell of fewer pixels is not drawn; at twice as many it is drawn in full

float lines(vec2 p, vec2 density, float step) {
    vec2 cell = step * density;
    vec2 d = abs(fract(p * (1.0 / step) - 0.5) - 0.5) * cell;
    // Where a cell gets too small the lines fade out instead of flickering.
    vec2 c = clamp(1.0 - d, 0.0, 1.0) * clamp(cell / least - 1.0, 0.0, 1.0);
    return max(c.x, c.y);
}
float line(float d, float density, float width) { return clamp(0.5 * width + 0.5 - abs(d) * density, 0.0, 1.0); }
