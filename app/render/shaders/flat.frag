uniform vec4 paint;
out vec4 result;
void main() { result = paint; }
