//@include skin.glsl
uniform mat4 view_projection;
out vec3 world;
out vec3 facing;
out float light;
flat out vec4 colour;
invariant gl_Position;

void main() {
    vec4 r0, r1, r2;
    joint_frame(r0, r1, r2);
    vec4 p = vec4(position, 1.0);
    world = vec3(dot(r0, p), dot(r1, p), dot(r2, p));
    facing = vec3(dot(r0.xyz, normal), dot(r1.xyz, normal), dot(r2.xyz, normal));
    light = occlusion;
    colour = joint_colour();
    gl_Position = view_projection * vec4(world, 1.0);
}
