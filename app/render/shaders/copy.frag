in vec2 uv;
uniform sampler2D source;
out vec4 result;
void main() { result = texelFetch(source, ivec2(gl_FragCoord.xy), 0); }
