// A ghost: a veil of the ground's colour, then a tint that grows toward the rim. Premultiplied.
uniform vec4 eye;      // xyz and 1, or the direction to the eye and 0 for parallel views
uniform vec3 veil;
uniform vec2 tint;     // face on, and what the rim adds

vec4 ghost(vec3 world, vec3 facing, vec4 colour) {  // rgb of the tint, strength
    vec3 v = normalize(eye.xyz - eye.w * world);
    float nv = min(abs(dot(normalize(facing), v)), 1.0);
    float a = min((tint.x + tint.y * pow(1.0 - nv, 2.6)) * colour.a, 1.0);
    float under = 0.5 * min(colour.a, 1.0) * (1.0 - a);
    return vec4(veil * under + colour.rgb * a, under + a);
}
