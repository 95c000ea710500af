// A line with round ends, solid or dashed, or an arrow with its rim. Premultiplied.
in vec2 spot;
flat in vec4 shape;
flat in vec3 dashes;
flat in vec4 colour;
uniform vec3 halo;
uniform float pixel;
out vec4 result;

void main() {
    float u = spot.x, v = abs(spot.y);
    float far = shape.x, half_width = 0.5 * shape.y, head = shape.w;
    if (head <= 0.0) {
        float d = length(vec2(max(max(-u, u - far), 0.0), v));
        float a = clamp(half_width + 0.5 - d, 0.0, 1.0);
        if (dashes.x > 0.0) {
            float t = mod(u + dashes.z, dashes.x + dashes.y);
            a *= clamp(min(t, dashes.x - t) + 0.5, 0.0, 1.0);
        }
        result = vec4(colour.rgb, 1.0) * (a * colour.a);
        return;
    }
    float wide = 0.38 * head;
    float slant = (v - wide * (far - u) / head) * head * inversesqrt(head * head + wide * wide);
    float d = max(slant, far - head - u);
    if (shape.z < 1.5 && far > head) d = min(d, max(v - half_width, max(-u, u - far + head)));
    float rim = 0.85 * clamp(1.2 * pixel + 0.5 - d, 0.0, 1.0);
    float a = clamp(0.5 - d, 0.0, 1.0);
    result = (vec4(halo * rim, rim) * (1.0 - a) + vec4(colour.rgb, 1.0) * a) * colour.a;
}
