// A ghost: a veil of the ground's colour, then a tint that grows toward the rim. Premultiplied.
in vec3 world;
in vec3 facing;
flat in vec4 colour;   // rgb of the tint, strength
uniform vec4 eye;
uniform vec3 veil;
uniform vec2 tint;     // face on, and what the rim adds
out vec4 result;

void main() {
    vec3 v = normalize(eye.xyz - eye.w * world);
    float nv = abs(dot(normalize(facing), v));
    float a = (tint.x + tint.y * pow(1.0 - nv, 2.6)) * colour.a;
    float under = 0.5 * colour.a * (1.0 - a);
    result = vec4(veil * under + colour.rgb * a, under + a);
}
