//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int last = n / 4;
    if (i < last) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        reinterpret_cast<float4*>(y)[i] =
            make_float4(3 * v.x + 1, 3 * v.y + 1, 3 * v.z + 1, 3 * v.w + 1);
    } else if (last * 4 + i - last < n) {
        int at = last * 4 + i - last;
        y[at] = 3.0f * x[at] + 1.0f;
    }
}
