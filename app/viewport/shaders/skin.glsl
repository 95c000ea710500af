// Vertices of the figure, moved by the matrix palette. Four texels a joint: three rows of what takes it from the bind
// pose to its place, then its colour.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 outward;
layout(location = 3) in float occlusion;
layout(location = 4) in uvec4 joints;
layout(location = 5) in vec4 weights;

uniform samplerBuffer palette;
uniform int joint_count;
uniform int first_instance;

int entry(uint joint) { return 4 * ((first_instance + gl_InstanceID) * joint_count + int(joint)); }

// Takes the vertex from the bind pose to its place.
void joint_frame(out vec4 row0, out vec4 row1, out vec4 row2) {
    int at = entry(joints.x);
    row0 = texelFetch(palette, at);
    row1 = texelFetch(palette, at + 1);
    row2 = texelFetch(palette, at + 2);
#ifdef INFLUENCES
    if (weights.x < 1.0) {
        row0 *= weights.x;
        row1 *= weights.x;
        row2 *= weights.x;
        for (int k = 1; k < INFLUENCES; ++k) {
            at = entry(joints[k]);
            row0 += weights[k] * texelFetch(palette, at);
            row1 += weights[k] * texelFetch(palette, at + 1);
            row2 += weights[k] * texelFetch(palette, at + 2);
        }
    }
#endif
}

// Turns a normal: by the cofactors, which keep it upright on what is stretched or bent.
vec3 turned(vec4 row0, vec4 row1, vec4 row2, vec3 n) {
#ifdef SKEWED
    return vec3(dot(cross(row1.xyz, row2.xyz), n), dot(cross(row2.xyz, row0.xyz), n), dot(cross(row0.xyz, row1.xyz), n));
#else
    return vec3(dot(row0.xyz, n), dot(row1.xyz, n), dot(row2.xyz, n));
#endif
}

vec4 joint_colour() { return texelFetch(palette, entry(joints.x) + 3); }
