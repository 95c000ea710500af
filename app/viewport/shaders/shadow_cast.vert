//@include skin.glsl
uniform vec3 key;
uniform vec4 patch_of_ground;  // centre x, z and half extent
out float height;

void main() {
    Move move = joint_move();
    vec3 w = moved(move);
    height = max(w.y, 0.0);
    w -= key * (height / key.y);
    gl_Position = vec4((w.xz - patch_of_ground.xy) / patch_of_ground.z, 0.0, 1.0);
}
