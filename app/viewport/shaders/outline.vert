//@include skin.glsl
// The segment, swollen by some pixels: where its outline can be.
uniform mat4 view_projection;
uniform vec2 pixel;   // clip units a pixel
uniform float width;  // pixels

void main() {
    vec4 r0, r1, r2;
    joint_frame(r0, r1, r2);
    vec4 p = vec4(position, 1.0);
    vec3 w = vec3(dot(r0, p), dot(r1, p), dot(r2, p));
    vec3 o = turned(r0, r1, r2, outward);
    gl_Position = view_projection * vec4(w, 1.0);
    vec4 step = view_projection * vec4(o, 0.0);
    vec2 away = (step.xy - gl_Position.xy * (step.w / gl_Position.w)) / pixel;
    float len = length(away);
    if (len > 1e-6) gl_Position.xy += away / len * width * pixel * gl_Position.w;
}
