//@include skin.glsl
// The figure as the key light sees it.
uniform mat4 view_projection;

void main() {
    vec4 r0, r1, r2;
    joint_frame(r0, r1, r2);
    vec4 p = vec4(position, 1.0);
    gl_Position = view_projection * vec4(dot(r0, p), dot(r1, p), dot(r2, p), 1.0);
}
