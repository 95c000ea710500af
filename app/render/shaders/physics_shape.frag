// Ellipsoids and cylinders as outline, fill and fine rings; the centre of mass and its place on the floor. Premultiplied.
in vec2 at;
flat in vec4 kx;
flat in vec4 ky;
flat in vec4 kw;
flat in vec3 deeper;
flat in vec4 place;
flat in vec4 size;
flat in vec4 colour;
flat in vec3 drawn;
uniform vec3 halo;
uniform vec2 half_size;
uniform float pixel;
uniform float quiet;  // 1: outlines alone, for small views
out vec4 result;

float band(float d, float width) { return clamp(0.5 * width + 0.5 - abs(d), 0.0, 1.0); }
vec4 over(vec4 under, vec3 c, float a) { return vec4(c * a, a) + under * (1.0 - a); }

// Outside distance from an ellipse with half-axes (a, b), near enough beside its line.
float ellipse(vec2 p, vec2 r) {
    vec2 q = p / r;
    float f = length(q);
    return (f - 1.0) * f / max(length(q / r), 1e-6);
}

void main() {
    vec4 c = vec4(0.0);
    float rings = 0.0;
    float d;
    if (size.w < 0.5) {
        // The line of sight in the unit sphere's space: where two planes through the eye meet.
        vec2 p = at / half_size;
        vec4 across = kx - p.x * kw;
        vec4 along = ky - p.y * kw;
        vec3 way = cross(across.xyz, along.xyz);
        float square = dot(way, way);
        vec3 near = (across.w * cross(way, along.xyz) - along.w * cross(way, across.xyz)) / square;
        float far = length(near);
        d = (far - 1.0) / max(length(vec2(dFdx(far), dFdy(far))), 1e-6);
        if (drawn.z * (1.0 - quiet) > 0.0) {
            vec3 front = near - way * (sign(dot(way, deeper)) * sqrt(max(1.0 - far * far, 0.0) / square));
            vec3 slope = sqrt(dFdx(front) * dFdx(front) + dFdy(front) * dFdy(front));
            vec3 off = abs(front) / max(slope, 1e-6);
            rings = clamp(0.45 * pixel + 0.5 - min(off.x, min(off.y, off.z)), 0.0, 1.0) * drawn.z;
        }
    } else if (size.w < 1.5) {
        float long_ = length(place.zw);
        vec2 e = long_ > 1e-3 ? place.zw / long_ : vec2(1.0, 0.0);
        vec2 p = at - place.xy;
        p = vec2(dot(p, e), dot(p, vec2(-e.y, e.x)));
        vec2 r = vec2(size.y, size.x);
        float past = abs(p.x) - long_;
        d = past <= 0.0 ? abs(p.y) - size.x : max(ellipse(vec2(past, p.y), r), abs(p.y) - size.x);
        float face = ellipse(vec2(p.x - size.z * long_, p.y), r);  // the end that is seen
        rings = band(face, 0.9 * pixel) * drawn.z * (1.0 - quiet);
    } else {
        vec2 p = at - place.xy;
        float r = length(p);
        d = r - size.x;
        float line = band(d, 1.2 * pixel);
        c = over(c, halo, 0.85 * clamp(0.5 - (d - 1.3 * pixel), 0.0, 1.0));
        if (size.w < 2.5) {  // the centre of mass: a quartered disc
            float quarter = clamp(0.5 + p.x, 0.0, 1.0);
            float upper = clamp(0.5 + p.y, 0.0, 1.0);
            float white = quarter * upper + (1.0 - quarter) * (1.0 - upper);
            c = over(c, colour.rgb, max(line, white * clamp(0.5 - d, 0.0, 1.0)));
        } else {  // its place on the floor: a ring with a cross
            float cross_ = max(band(p.x, 1.2 * pixel), band(p.y, 1.2 * pixel)) * clamp(0.5 - d, 0.0, 1.0);
            c = over(c, colour.rgb, max(line, cross_));
        }
        result = c * colour.a;
        return;
    }
    c = over(c, halo, 0.4 * clamp(0.5 * drawn.x + 0.5 + 0.9 * pixel - abs(d), 0.0, 1.0));
    c = over(c, colour.rgb, drawn.y * clamp(0.5 - d, 0.0, 1.0));
    c = over(c, colour.rgb, max(band(d, drawn.x), rings * clamp(0.5 - d, 0.0, 1.0)));
    result = c * (colour.a * (1.0 - 0.4 * quiet));
}
