// Four elements a thread through 16-byte accesses.
//@ tune BLOCK = 256 128 512
//@ launch axpby<<<ceil_div(n, BLOCK * 4), BLOCK>>>(x, y, a, b, n)

__global__ void axpby(const float4* __restrict__ x, float4* __restrict__ y, float a, float b, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n / 4) return;
    const float4 u = x[i], v = y[i];
    y[i] = {a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z, a * u.w + b * v.w};
}
