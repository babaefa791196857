// VECTORS vectors a thread, a block apart: all loads are issued before the first result is needed.
//@ tune BLOCK = 256 128 512
//@ tune VECTORS = 2 4
//@ launch axpby<<<ceil_div(ceil_div(n, 4), BLOCK * VECTORS), BLOCK>>>(x, y, a, b, n)

__device__ float4 combine(float a, float4 u, float b, float4 v) {
    return {a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z, a * u.w + b * v.w};
}

__global__ void __launch_bounds__(BLOCK) axpby(const float* __restrict__ x, float* __restrict__ y, float a, float b, int n) {
    const float4* xs = reinterpret_cast<const float4*>(x);
    float4* ys = reinterpret_cast<float4*>(y);
    const int first = blockIdx.x * BLOCK * VECTORS + threadIdx.x, vectors = n / 4;
    if (first + (VECTORS - 1) * BLOCK < vectors) {
        float4 u[VECTORS], v[VECTORS];
#pragma unroll
        for (int k = 0; k < VECTORS; ++k) u[k] = xs[first + k * BLOCK];
#pragma unroll
        for (int k = 0; k < VECTORS; ++k) v[k] = ys[first + k * BLOCK];
#pragma unroll
        for (int k = 0; k < VECTORS; ++k) ys[first + k * BLOCK] = combine(a, u[k], b, v[k]);
    } else {
        for (int i = first; i < vectors; i += BLOCK) ys[i] = combine(a, xs[i], b, ys[i]);
    }
}
