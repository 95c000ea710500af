uniform mat4 view_projection;
uniform vec4 patch_of_ground;
out vec2 uv;
void main() {
    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    uv = 0.5 * p + 0.5;
    gl_Position = view_projection * vec4(patch_of_ground.x + p.x * patch_of_ground.z, 0.0,
                                         patch_of_ground.y + p.y * patch_of_ground.z, 1.0);
}
