// Shading of the figure, in linear light: ambient, key, fill from the camera's right, rim from behind, a little gloss.
uniform vec4 eye;   // xyz and 1, or the direction to the eye and 0 for parallel views
uniform vec3 key;
uniform vec3 fill;
uniform vec3 rim;
uniform vec4 strengths;  // of ambient, key, fill and rim
#ifdef SHADOWED
uniform sampler2DShadow key_map;  // depths seen from the key light
uniform mat4 into_map;
uniform float map_blur;  // how far round a point the map is read, of its side
uniform float map_lift;  // how far from the surface, [m]

float key_at(vec3 p, vec2 d) { return textureLod(key_map, vec3(p.xy + d, p.z), 0.0); }

// How much of the key light gets past the figure's other parts, with a soft edge.
float key_reaches(vec3 world, vec3 n) {
    vec3 p = (into_map * vec4(world + map_lift * n, 1.0)).xyz;
    vec2 d = map_blur * vec2(0.92, 0.38);
    vec2 e = vec2(-d.y, d.x);
    float s = key_at(p, d) + key_at(p, -d) + key_at(p, e) + key_at(p, -e);
#ifdef QUICK
    s *= 0.25;
#else
    d = map_blur * vec2(0.35, 0.35);
    e = vec2(-d.y, d.x);
    s += key_at(p, d) + key_at(p, -d) + key_at(p, e) + key_at(p, -e);
    d = map_blur * vec2(0.20, -0.74);
    e = vec2(-d.y, d.x);
    s += key_at(p, d) + key_at(p, -d) + key_at(p, e) + key_at(p, -e);
    s *= 1.0 / 12.0;
#endif
    return s * (1.25 - 0.25 * s);  // to the power of 0.8
}
#endif

vec3 encode(vec3 c) { return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }

// Powers by roots and products, off by less than one step of brightness: where the processor draws, logarithms would
// take longer than all the rest.
vec3 encoded(vec3 c) {
    vec3 a = sqrt(c);
    vec3 b = sqrt(a);
    return 0.585122381 * a + 0.783140355 * b - 0.368262736 * sqrt(b);
}
float power_115(float x) {
    float a = sqrt(sqrt(x));
    return x * (0.8 * sqrt(a) + 0.2 * a);
}
float power_34(float x) {
    float a = x * x;
    float b = a * a;
    b *= b;
    b *= b;
    return a * b * b;
}

vec3 shade(vec3 world, vec3 facing, float open, vec3 albedo) {
    vec3 v = normalize(eye.xyz - eye.w * world);
    vec3 n = normalize(facing);
    float nv = dot(n, v);
#ifndef SOLID
    n = nv < 0.0 ? reflect(n, v) : n;  // the inside of an open mesh
    nv = abs(nv);
#endif
    vec3 c = mix(vec3(0.105, 0.098, 0.092), vec3(0.235, 0.262, 0.305), 0.5 + 0.5 * n.y) * (open * (0.9 + 0.1 * open)) * strengths.x;
    float nl = dot(n, key);
    float nk = max((nl + 0.15) / 1.15, 0.0);
#ifdef SHADOWED
    float reached = nk > 0.0 ? key_reaches(world, n) : 0.0;
#else
    const float reached = 1.0;
#endif
    c += strengths.y * power_115(nk) * reached * vec3(0.86, 0.81, 0.74);
    c += strengths.z * 0.21 * max(dot(n, fill), 0.0) * open * vec3(0.52, 0.60, 0.72);
    float away = 1.0 - clamp(nv, 0.0, 1.0);
    c += strengths.w * 0.47 * max(dot(n, rim), 0.0) * (away * away * (0.8 + 0.2 * away)) * vec3(0.85, 0.93, 1.0);
    c *= albedo;
    c += strengths.y * 0.12 * reached * power_34(max(dot(n, normalize(key + v)), 0.0)) * min(nk * 4.0, 1.0);
    c = c / (1.0 + 0.55 * max(c - 0.8, 0.0));
    return encoded(min(c, 1.0));
}
