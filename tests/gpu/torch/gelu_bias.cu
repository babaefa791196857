//@ launch gelu_bias<<<ceil_div(rows * columns, 1024), 256>>>(x, bias, out, rows * columns, columns)
__global__ void gelu_bias(const float4* __restrict__ x, const float4* __restrict__ bias, float4* __restrict__ out, int n, int columns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    const auto gelu = [](float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); };
    const float4 a = x[i], b = bias[i % (columns / 4)];
    out[i] = make_float4(gelu(a.x + b.x), gelu(a.y + b.y), gelu(a.z + b.z), gelu(a.w + b.w));
}
