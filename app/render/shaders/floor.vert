// A square of the floor's plane round the middle of the view.
uniform mat4 view_projection;
uniform vec3 origin;   // of the plane's own coordinates
uniform vec3 across;   // unit, its x
uniform vec3 along;    // unit, its z
uniform vec2 focus;    // middle of the square, in these coordinates
uniform float reach;   // half the square
out vec2 place;
void main() {
    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    place = focus + reach * p;
    gl_Position = view_projection * vec4(origin + place.x * across + place.y * along, 1.0);
}
