layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
uniform mat4 view_projection;
out vec3 world;
out vec3 facing;
void main() {
    world = position;
    facing = normal;
    gl_Position = view_projection * vec4(position, 1.0);
}
