// Lines one pixel wide, with their own anti-aliasing. All lengths in metres; `size` is metres a pixel.
uniform vec3 grid_colour;
uniform vec3 axis_x;
uniform vec3 axis_z;
uniform vec2 focus;
uniform float grid;
uniform float least;  // a cell of fewer pixels is not drawn; at twice as many it is drawn in full

float lines(vec2 p, vec2 size, float step) {
    vec2 d = abs(fract(p / step - 0.5) - 0.5) * step / size;
    vec2 c = clamp(1.0 - d, 0.0, 1.0);
    // Where a cell gets too small the lines fade out instead of flickering.
    c *= clamp(step / (size * least) - 1.0, 0.0, 1.0);
    return max(c.x, c.y);
}
float line(float d, float size, float width) { return clamp(0.5 * width + 0.5 - abs(d) / size, 0.0, 1.0); }
