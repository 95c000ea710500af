// One triangle over the whole view; rays of the camera are interpolated, which is exact before they are normalised.
uniform vec3 ray_origin;
uniform vec3 origin_x;
uniform vec3 origin_y;
uniform vec3 ray_direction;
uniform vec3 direction_x;
uniform vec3 direction_y;
out vec3 origin;
out vec3 direction;
out vec2 uv;

void main() {
    vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    // Row 0 of the framebuffer is the top of the picture, so y runs downward here.
    origin = ray_origin + p.x * origin_x - p.y * origin_y;
    direction = ray_direction + p.x * direction_x - p.y * direction_y;
    uv = 0.5 * p + 0.5;
    gl_Position = vec4(p, 0.0, 1.0);
}
