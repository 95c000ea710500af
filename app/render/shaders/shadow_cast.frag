// How much of the light is blocked by parts low, middling and high above the ground; the higher, the softer later.
in float height;
out vec4 result;
void main() {
    float low = 1.0 - smoothstep(0.02, 0.30, height);
    float high = smoothstep(0.30, 1.10, height);
    result = vec4(low, 1.0 - low - high, high * (1.0 - 0.45 * smoothstep(0.8, 2.2, height)), 1.0);
}
