// Vertices of the figure, moved by the matrix palette. Four texels a joint: three rows of its frame, then its colour.
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

void joint_frame(out vec4 row0, out vec4 row1, out vec4 row2) {
    int at = entry(joints.x);
#ifdef RIGID
    row0 = texelFetch(palette, at);
    row1 = texelFetch(palette, at + 1);
    row2 = texelFetch(palette, at + 2);
#else
    row0 = weights.x * texelFetch(palette, at);
    row1 = weights.x * texelFetch(palette, at + 1);
    row2 = weights.x * texelFetch(palette, at + 2);
    for (int k = 1; k < 4; ++k) {
        at = entry(joints[k]);
        row0 += weights[k] * texelFetch(palette, at);
        row1 += weights[k] * texelFetch(palette, at + 1);
        row2 += weights[k] * texelFetch(palette, at + 2);
    }
#endif
}

vec4 joint_colour() { return texelFetch(palette, entry(joints.x) + 3); }
