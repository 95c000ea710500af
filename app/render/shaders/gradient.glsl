// Powers and a Gaussian, near enough for a gradient of a few steps of brightness and without logarithms, which are what
// such a pass over the whole view would spend most of its time on.
float power_08(float x) { return mix(x, sqrt(x), 0.42); }
float power_062(float x) { return mix(x, sqrt(x), 0.77); }
float horizon_light(float e) {
    float w = max(1.0 - e * e * (1.0 / (4.0 * 0.0045 * 0.0045)), 0.0);
    w *= w;
    return w * w;
}
