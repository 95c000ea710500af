// A studio: a floor that runs into the wall behind without an edge, with a pool of light where the camera looks.
in vec3 origin;
in vec3 direction;
uniform vec3 lit;    // the floor in the light
uniform vec3 base;   // floor and wall where they meet
uniform vec3 dark;   // the wall high above
uniform vec2 focus;  // middle of the light
uniform float reach; // of the light, [m]
uniform float flat_view;  // 1: a parallel view, whose rays never meet the floor or all do
out vec4 result;

float eased(float x) {
    x = clamp(x, 0.0, 1.0);
    return x * x * x * (x * (6.0 * x - 15.0) + 10.0);
}

void main() {
    vec3 d = normalize(direction);
    float above = mix(d.y, 0.3 * origin.y - abs(d.y), flat_view);
    vec2 p = origin.xz - d.xz * (origin.y / min(d.y, -1e-4)) - focus;
    // Lengths shrink far away, so that the light fades out before the floor ends.
    float r = length(p) / reach;
    float light = d.y < 0.0 ? exp(-r * r) : 0.0;
    vec3 c = mix(base, lit, light);
    c = mix(c, dark, eased(above * 1.6));
    vec2 corner = gl_FragCoord.xy;
    // Steps of brightness lie far apart in so slow a gradient; a little noise that stands still hides them.
    float noise = fract(52.9829189 * fract(dot(corner, vec2(0.06711056, 0.00583715)))) - 0.5;
    result = vec4(c + noise / 255.0, 1.0);
}
