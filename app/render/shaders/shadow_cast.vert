//@include skin.glsl
uniform vec3 key;
uniform vec4 patch_of_ground;  // centre x, z and half extent
uniform vec4 ground;           // normal n and level d: n.x = d
out float height;

void main() {
    Move move = joint_move();
    vec3 w = moved(move);
    float rise = max(dot(ground.xyz, w) - ground.w, 0.0);
    height = rise / ground.y;
    w -= key * (rise / dot(ground.xyz, key));
    gl_Position = vec4((w.xz - patch_of_ground.xy) / patch_of_ground.z, 0.0, 1.0);
}
