// A segment: flat, lit at its corners, lit here, or a ghost.
out vec4 result;
flat in vec4 colour;
#if defined(SILHOUETTE)
//@include light.glsl
void main() { result = vec4(encode(colour.rgb), 1.0); }
#elif defined(AT_VERTEX)
in vec4 lit;
void main() { result = lit; }
#else
in vec3 world;
in vec3 facing;
in float open;
#ifdef GHOST
//@include ghost.glsl
void main() { result = ghost(world, facing, colour); }
#else
//@include light.glsl
void main() { result = vec4(shade(world, facing, open, colour.rgb), 1.0); }
#endif
#endif
