// Ground that is not level, in the colours of the level one: as bright where it is level, lighter towards the key
// light and darker away from it, so that slopes and steps show; then the grid, and the shadow of what stands on it.
in vec3 world;
in vec3 facing;
uniform vec4 eye;   // xyz and 1, or the direction to the eye and 0 for parallel views
uniform vec3 key;
uniform vec3 ground_far;
uniform vec3 ground_near;
uniform float flat_ground;  // 1: a parallel view, without a gradient
uniform float reach;        // of the grid, round the focus
uniform sampler2D source;   // the shadow: low, middling and high
uniform vec4 patch_of_ground;
uniform float shadow_level; // of the plane that the shadow was worked out on
uniform float shadow_top;   // nothing higher casts it
uniform float density;
out vec4 result;
//@include gradient.glsl
//@include grid.glsl

void main() {
    vec3 v = normalize(eye.xyz - eye.w * world);
    vec3 n = normalize(facing);
    if (dot(n, v) < 0.0 && n.y < 0.05) n = -n;  // a wall has two sides
    float t = power_062(clamp(v.y * (1.0 / 0.34), 0.0, 1.0));
    vec3 c = mix(ground_far, ground_near, mix(t, 0.9, flat_ground));
    // Against what a level place gets of the light.
    float lit = dot(n, key) / key.y;
    c = mix(c, ground_far, 0.55 * (1.0 - n.y));
    c *= clamp(0.5 + 0.5 * lit, 0.8, 1.3);
    c += 0.16 * clamp(lit - 1.0, -0.35, 0.6) + 0.07 * (1.0 - n.y) * max(dot(n, v), 0.0);
    vec2 pixels = 1.0 / max(fwidth(world.xz), vec2(1e-6));
    vec2 away = world.xz - focus;
    float x = clamp((reach - length(away)) * (1.0 / (0.6 * reach)), 0.0, 1.0);
    float fade = mix(x * sqrt(x), 1.0, flat_ground) * grid * smoothstep(0.15, 0.5, n.y);
    c = mix(c, grid_colour, max(0.34 * lines(world.xz, pixels, 0.25), 0.85 * lines(world.xz, pixels, 1.0)) * fade * 0.8);
    if (density > 0.0 && world.y < shadow_top) {
        vec2 p = world.xz - key.xz * ((world.y - shadow_level) / key.y);
        vec2 uv = 0.5 + 0.5 * (p - patch_of_ground.xy) / patch_of_ground.z;
        if (all(greaterThan(uv, vec2(0.0))) && all(lessThan(uv, vec2(1.0)))) {
            vec3 s = texture(source, uv).rgb;
            float dark = density * min(s.r + 0.85 * s.g + 0.6 * s.b, 1.0);
            c *= 1.0 - dark * clamp(4.0 * dot(n, key), 0.0, 1.0);
        }
    }
    result = vec4(c, 1.0);
}
