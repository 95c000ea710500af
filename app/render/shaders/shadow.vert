uniform mat4 view_projection;
uniform vec4 patch_of_ground;
uniform vec4 ground;  // normal n and level d: n.x = d
out vec2 uv;
void main() {
    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    uv = 0.5 * p + 0.5;
    vec2 xz = patch_of_ground.xy + p * patch_of_ground.z;
    gl_Position = view_projection * vec4(xz.x, (ground.w - dot(ground.xz, xz)) / ground.y, xz.y, 1.0);
}
