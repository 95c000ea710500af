//@include skin.glsl
uniform mat4 view_projection;
flat out vec4 colour;
invariant gl_Position;
#ifdef AT_VERTEX
out vec4 lit;
#ifdef GHOST
//@include ghost.glsl
#else
//@include light.glsl
#endif
#else
out vec3 world;
out vec3 facing;
out float open;
#endif

void main() {
    vec4 r0, r1, r2;
    joint_frame(r0, r1, r2);
    vec4 p = vec4(position, 1.0);
    vec3 w = vec3(dot(r0, p), dot(r1, p), dot(r2, p));
    vec3 n = turned(r0, r1, r2, normal);
    colour = joint_colour();
#ifdef AT_VERTEX
#ifdef GHOST
    lit = ghost(w, n, colour);
#else
    lit = vec4(shade(w, n, occlusion, colour.rgb), 1.0);
#endif
#else
    world = w;
    facing = n;
    open = occlusion;
#endif
    gl_Position = view_projection * vec4(w, 1.0);
}
