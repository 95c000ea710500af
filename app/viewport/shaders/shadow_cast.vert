//@include skin.glsl
uniform vec3 key;
uniform vec4 patch_of_ground;  // centre x, z and half extent
out float height;

void main() {
    vec4 r0, r1, r2;
    joint_frame(r0, r1, r2);
    vec4 p = vec4(position, 1.0);
    vec3 w = vec3(dot(r0, p), dot(r1, p), dot(r2, p));
    height = max(w.y, 0.0);
    w -= key * (height / key.y);
    gl_Position = vec4((w.xz - patch_of_ground.xy) / patch_of_ground.z, 0.0, 1.0);
}
