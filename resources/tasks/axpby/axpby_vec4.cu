// Four elements a thread through 16-byte accesses: a quarter of the load and store instructions and of the index arithmetic, and
// more bytes in flight for each warp, which is what keeps DRAM busy. The last threads take the elements that fill no vector.
//@ tune BLOCK = 256 128 512
//@ launch axpby_vec4<<<ceil_div(ceil_div(n, 4), BLOCK), BLOCK>>>(x, y, a, b, n)

__global__ void __launch_bounds__(BLOCK)
axpby_vec4(const float* __restrict__ x, float* __restrict__ y, float a, float b, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const int first = 4 * i;
    if (first + 3 < n) {
        const float4 u = reinterpret_cast<const float4*>(x)[i];
        float4 v = reinterpret_cast<float4*>(y)[i];
        v.x = a * u.x + b * v.x;
        v.y = a * u.y + b * v.y;
        v.z = a * u.z + b * v.z;
        v.w = a * u.w + b * v.w;
        reinterpret_cast<float4*>(y)[i] = v;
    } else {
        for (int k = first; k < n; ++k) y[k] = a * x[k] + b * y[k];
    }
}
