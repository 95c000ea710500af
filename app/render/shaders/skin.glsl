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

// What takes the vertex from the bind pose to its place, three rows; and what takes small steps along the surface there:
// where weights change from one vertex to the next, that is more than the turns of the joints.
struct Move {
    vec4 row0, row1, row2;
#ifdef INFLUENCES
    vec3 step0, step1, step2;
#endif
};

#ifdef INFLUENCES
layout(location = 6) in vec3 slope1;
#if INFLUENCES > 2
layout(location = 7) in vec3 slope2;
#endif
#if INFLUENCES > 3
layout(location = 8) in vec3 slope3;
#endif

void follow(inout Move move, uint joint, float weight, vec3 slope, vec4 p) {
    int at = entry(joint);
    vec4 row0 = texelFetch(palette, at);
    vec4 row1 = texelFetch(palette, at + 1);
    vec4 row2 = texelFetch(palette, at + 2);
    move.row0 += weight * row0;
    move.row1 += weight * row1;
    move.row2 += weight * row2;
    move.step0 += dot(row0, p) * slope;
    move.step1 += dot(row1, p) * slope;
    move.step2 += dot(row2, p) * slope;
}
#endif

Move joint_move() {
    Move move;
    int at = entry(joints.x);
    move.row0 = texelFetch(palette, at);
    move.row1 = texelFetch(palette, at + 1);
    move.row2 = texelFetch(palette, at + 2);
#ifdef INFLUENCES
    move.step0 = move.step1 = move.step2 = vec3(0.0);
    if (weights.x < 1.0) {
        vec4 p = vec4(position, 1.0);
        vec3 rest = slope1;
#if INFLUENCES > 2
        rest += slope2;
#endif
#if INFLUENCES > 3
        rest += slope3;
#endif
        move.step0 = -dot(move.row0, p) * rest;
        move.step1 = -dot(move.row1, p) * rest;
        move.step2 = -dot(move.row2, p) * rest;
        move.row0 *= weights.x;
        move.row1 *= weights.x;
        move.row2 *= weights.x;
        follow(move, joints.y, weights.y, slope1, p);
#if INFLUENCES > 2
        follow(move, joints.z, weights.z, slope2, p);
#endif
#if INFLUENCES > 3
        follow(move, joints.w, weights.w, slope3, p);
#endif
    }
    move.step0 += move.row0.xyz;
    move.step1 += move.row1.xyz;
    move.step2 += move.row2.xyz;
#endif
    return move;
}

vec3 moved(Move move) {
    vec4 p = vec4(position, 1.0);
    return vec3(dot(move.row0, p), dot(move.row1, p), dot(move.row2, p));
}

// Turns a normal: by the cofactors where the surface is stretched or bent, which keep it upright.
vec3 turned(Move move, vec3 n) {
#ifdef INFLUENCES
    return vec3(dot(cross(move.step1, move.step2), n), dot(cross(move.step2, move.step0), n),
                dot(cross(move.step0, move.step1), n));
#elif defined(SKEWED)
    return vec3(dot(cross(move.row1.xyz, move.row2.xyz), n), dot(cross(move.row2.xyz, move.row0.xyz), n),
                dot(cross(move.row0.xyz, move.row1.xyz), n));
#else
    return vec3(dot(move.row0.xyz, n), dot(move.row1.xyz, n), dot(move.row2.xyz, n));
#endif
}

vec4 joint_colour() { return texelFetch(palette, entry(joints.x) + 3); }
