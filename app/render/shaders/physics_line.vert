// One line or arrow an instance, drawn over the picture; its width is one of pixels.
layout(location = 0) in vec4 start;  // xyz in the world, kind: 0 line, 1 arrow, 2 edge of a cone, 3 arrowhead alone
layout(location = 1) in vec4 end;    // xyz in the world, width [px]
layout(location = 2) in vec4 ink;
layout(location = 3) in vec4 dash;   // dash, gap and where they begin [m]; radius of a cone at its end, signed [m]
uniform mat4 view_projection;
uniform vec4 eye;
uniform vec2 half_size;
uniform float pixel;
out vec2 spot;         // along and across the line, [px]
flat out vec4 shape;   // length, width [px], kind, length of the head
flat out vec3 dashes;  // dash, gap, beginning, [px]
flat out vec4 colour;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    float kind = start.w;
    vec3 a = start.xyz, b = end.xyz;
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    spot = vec2(0.0);
    shape = vec4(0.0);
    dashes = vec3(0.0);
    colour = ink;
    if (kind > 1.5 && kind < 2.5) {  // of a cone the edge that is seen: where its surface stands on edge
        vec3 axis = b - a;
        float high = length(axis);
        vec3 n = axis / high;
        vec3 w = eye.xyz - eye.w * a;
        vec3 beside = w - dot(w, n) * n;
        float far = length(beside);
        float c = abs(dash.w) / high * dot(w, n) / max(far, 1e-6);
        if (abs(c) >= 1.0) return;  // seen from inside
        vec3 e = beside / far;
        b += abs(dash.w) * (c * e + sign(dash.w) * sqrt(1.0 - c * c) * cross(n, e));
    }
    vec4 p = view_projection * vec4(a, 1.0);
    vec4 q = view_projection * vec4(b, 1.0);
    const float least = 0.02;
    if (p.w < least && q.w < least) return;
    float whole = length(b - a);
    if (p.w < least) p = mix(p, q, (least - p.w) / (q.w - p.w));
    if (q.w < least) q = mix(q, p, (least - q.w) / (p.w - q.w));
    vec2 from = p.xy / p.w * half_size, to = q.xy / q.w * half_size;
    float far = distance(from, to);
    vec2 way = far > 1e-4 ? (to - from) / far : vec2(1.0, 0.0);
    float width = end.w * pixel;
    float head = 0.0;
    if (kind > 0.5 && kind < 1.5) {
        head = min(4.2 * width, far);
        if (far < 2.0 * pixel) return;
    } else if (kind > 2.5) {
        head = 4.2 * width;
        from = to - way * 0.5 * head;
        to += way * 0.5 * head;
        far = head;
    }
    float reach = (head > 0.0 ? 1.7 * width : 0.5 * width) + 2.5 * pixel;
    spot = vec2(mix(-reach, far + reach, corner.x), mix(-reach, reach, corner.y));
    shape = vec4(far, width, kind, head);
    dashes = dash.xyz * (far / max(whole, 1e-6));
    vec2 at = from + way * spot.x + vec2(-way.y, way.x) * spot.y;
    gl_Position = vec4(at / half_size, 0.0, 1.0);
}
