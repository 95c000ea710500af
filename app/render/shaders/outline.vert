//@include skin.glsl
// The segment, swollen by some pixels: where its outline can be.
uniform mat4 view_projection;
uniform vec2 pixel;   // clip units a pixel
uniform float width;  // pixels

void main() {
    Move move = joint_move();
    vec3 w = moved(move);
    vec3 o = turned(move, outward);
    gl_Position = view_projection * vec4(w, 1.0);
    vec4 step = view_projection * vec4(o, 0.0);
    vec2 away = (step.xy - gl_Position.xy * (step.w / gl_Position.w)) / pixel;
    float len = length(away);
    if (len > 1e-6) gl_Position.xy += away / len * width * pixel * gl_Position.w;
}
