// Shading of the figure, in linear light: ambient, key, fill from the camera's right, rim from behind, a little gloss.
uniform vec4 eye;   // xyz and 1, or the direction to the eye and 0 for parallel views
uniform vec3 key;
uniform vec3 fill;
uniform vec3 rim;

vec3 encode(vec3 c) { return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }

vec3 shade(vec3 world, vec3 facing, float open, vec3 albedo) {
    vec3 v = normalize(eye.xyz - eye.w * world);
    vec3 n = normalize(facing);
#ifndef SOLID
    n = dot(n, v) < 0.0 ? reflect(n, v) : n;  // the inside of an open mesh
#endif
    vec3 c = mix(vec3(0.105, 0.098, 0.092), vec3(0.235, 0.262, 0.305), 0.5 + 0.5 * n.y) * open;
    float nk = max((dot(n, key) + 0.15) / 1.15, 0.0);
    c += pow(nk, 1.15) * mix(open, 1.0, 0.45) * vec3(0.86, 0.81, 0.74);
    c += 0.21 * max(dot(n, fill), 0.0) * open * vec3(0.52, 0.60, 0.72);
    c += 0.47 * max(dot(n, rim), 0.0) * pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 2.2) * vec3(0.85, 0.93, 1.0);
    c *= albedo;
    c += 0.12 * pow(max(dot(n, normalize(key + v)), 0.0), 34.0) * min(nk * 4.0, 1.0);
    c = c / (1.0 + 0.55 * max(c - 0.8, 0.0));
    return encode(min(c, 1.0));
}
