// One shape an instance, drawn over the picture as a flat sign: a box of pixels that holds its outline.
layout(location = 0) in vec4 row0;  // what takes the unit shape into the world
layout(location = 1) in vec4 row1;
layout(location = 2) in vec4 row2;
layout(location = 3) in vec4 ink;
layout(location = 4) in vec4 look;  // kind, width of lines [px], opacity of the fill, of the rings
uniform mat4 view_projection;
uniform vec4 eye;         // xyz and 1, or the direction to the eye and 0 for parallel views
uniform vec2 half_size;   // of the picture, [px]
uniform float pixel;      // device pixels a logical one
out vec2 at;              // [px] from the middle of the picture
flat out vec4 kx;         // rows of what takes the unit shape to clip space
flat out vec4 ky;
flat out vec4 kw;
flat out vec3 deeper;     // in the unit shape, the way along which depth grows
flat out vec4 place;      // middle and half of the axis, [px]
flat out vec4 size;       // radius, the same as seen along the axis, which end is nearer, kind
flat out vec4 colour;
flat out vec3 drawn;      // width of lines [px], opacity of the fill, of the rings

float form(vec4 a, vec4 b) { return dot(a.xyz, b.xyz) - a.w * b.w; }
vec4 clip_row(int i) {
    vec4 r = vec4(view_projection[0][i], view_projection[1][i], view_projection[2][i], view_projection[3][i]);
    return r.x * row0 + r.y * row1 + r.z * row2 + vec4(0.0, 0.0, 0.0, r.w);
}

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    kx = clip_row(0);
    ky = clip_row(1);
    vec4 kz = clip_row(2);
    kw = clip_row(3);
    deeper = kz.xyz;
    colour = ink;
    drawn = vec3(look.y * pixel, look.zw);
    float margin = drawn.x + 2.5 * pixel;
    place = vec4(0.0);
    size = vec4(0.0, 0.0, 1.0, look.x);
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    at = vec2(0.0);
    vec2 middle, reach;
    if (look.x < 0.5) {  // an ellipsoid: its outline is a conic, whose box follows from the dual one
        float ww = form(kw, kw);
        if (ww >= -1e-9) return;  // the eye is inside, or at its side
        vec2 mixed = vec2(form(kx, kw), form(ky, kw));
        vec2 square = mixed * mixed - ww * vec2(form(kx, kx), form(ky, ky));
        middle = mixed / ww * half_size;
        reach = sqrt(max(square, 0.0)) / -ww * half_size + margin;
    } else {
        if (kw.w < 1e-4) return;
        middle = vec2(kx.w, ky.w) / kw.w * half_size;
        float radius = look.y * pixel;
        if (look.x < 1.5) {  // a cylinder about z, small enough that both ends have one size
            vec3 axis = vec3(row0.z, row1.z, row2.z);
            vec3 to_eye = eye.xyz - eye.w * vec3(row0.w, row1.w, row2.w);
            vec4 up = vec4(view_projection[0][1], view_projection[1][1], view_projection[2][1], 0.0);
            radius = length(vec3(row0.x, row1.x, row2.x)) * length(up.xyz) / kw.w * half_size.y;
            float turned = dot(normalize(axis), normalize(to_eye));
            vec2 one = vec2(kx.z + kx.w, ky.z + ky.w) / max(kw.z + kw.w, 1e-4);
            vec2 other = vec2(kx.w - kx.z, ky.w - ky.z) / max(kw.w - kw.z, 1e-4);
            place.zw = 0.5 * (one - other) * half_size;
            size.yz = vec2(max(radius * abs(turned), 0.6), turned < 0.0 ? -1.0 : 1.0);
        } else {
            drawn.x = pixel;  // signs of one size on screen
        }
        place.xy = middle;
        size.x = radius;
        reach = vec2(radius + length(place.zw) + size.y + margin);
    }
    at = middle + corner * reach;
    gl_Position = vec4(at / half_size, 0.0, 1.0);
}
