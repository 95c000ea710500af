//@include skin.glsl
// The figure as the key light sees it.
uniform mat4 view_projection;

void main() {
    gl_Position = view_projection * vec4(moved(joint_move()), 1.0);
}
