// A line along the outside of what the mask shows: the mask, looked for on a circle round the pixel.
uniform sampler2D mask;
uniform vec4 channel;
uniform vec2 texel;
uniform float radius;  // pixels
uniform vec4 paint;    // premultiplied
out vec4 result;

float at(vec2 p, vec2 offset) { return dot(channel, texture(mask, p + offset * texel)); }

void main() {
    vec2 p = gl_FragCoord.xy * texel;
    float found = 0.0;
    for (int ring = 0; ring < 2; ++ring) {
        float a = ring == 0 ? radius : 0.5 * radius;
        vec2 d = a * vec2(0.9239, 0.3827);
        vec2 e = a * vec2(0.3827, 0.9239);
        found = max(found, max(max(at(p, d), at(p, -d)), max(at(p, vec2(d.x, -d.y)), at(p, vec2(-d.x, d.y)))));
        found = max(found, max(max(at(p, e), at(p, -e)), max(at(p, vec2(e.x, -e.y)), at(p, vec2(-e.x, e.y)))));
    }
    // No discard: without it the stencil test comes first, and the inside of the mask costs nothing.
    result = paint * found;
}
