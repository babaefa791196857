// Four elements a thread through 16-byte accesses; the first threads also take the up to three elements that fill no vector.
//@ tune BLOCK = 256 128 512
//@ launch axpby<<<ceil_div(ceil_div(n, 4), BLOCK), BLOCK>>>(x, y, a, b, n)

__global__ void __launch_bounds__(BLOCK) axpby(const float* __restrict__ x, float* __restrict__ y, float a, float b, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n / 4) {
        const float4 u = reinterpret_cast<const float4*>(x)[i], v = reinterpret_cast<const float4*>(y)[i];
        reinterpret_cast<float4*>(y)[i] = {a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z, a * u.w + b * v.w};
    }
    const int rest = n / 4 * 4 + i;
    if (rest < n) y[rest] = a * x[rest] + b * y[rest];
}
