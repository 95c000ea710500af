// Shading of the figure, in linear light: ambient, key, fill from the camera's right, rim from behind, a little gloss.
in vec3 world;
in vec3 facing;
in float light;
flat in vec4 colour;
uniform vec4 eye;   // xyz and 1, or the direction to the eye and 0 for parallel views
uniform vec3 key;
uniform vec3 fill;
uniform vec3 rim;
out vec4 result;

vec3 encode(vec3 c) { return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }

void main() {
#ifdef SILHOUETTE
    result = vec4(colour.rgb, 1.0);
#else
    vec3 v = normalize(eye.xyz - eye.w * world);
    vec3 n = normalize(facing);
    n = dot(n, v) < 0.0 ? reflect(n, v) : n;
    float nv = dot(n, v);
    vec3 c = mix(vec3(0.105, 0.098, 0.092), vec3(0.235, 0.262, 0.305), 0.5 + 0.5 * n.y) * light;
    float nk = max((dot(n, key) + 0.15) / 1.15, 0.0);
    c += pow(nk, 1.15) * mix(light, 1.0, 0.45) * vec3(0.86, 0.81, 0.74);
    c += 0.21 * max(dot(n, fill), 0.0) * light * vec3(0.52, 0.60, 0.72);
    c += 0.47 * max(dot(n, rim), 0.0) * pow(1.0 - nv, 2.2) * vec3(0.85, 0.93, 1.0);
    c *= colour.rgb;
    c += 0.12 * pow(max(dot(n, normalize(key + v)), 0.0), 34.0) * min(nk * 4.0, 1.0);
    c = c / (1.0 + 0.55 * max(c - 0.8, 0.0));
    result = vec4(encode(min(c, 1.0)), 1.0);
#endif
}
