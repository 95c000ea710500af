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
    Move move = joint_move();
    vec3 w = moved(move);
    vec3 n = turned(move, normal);
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
