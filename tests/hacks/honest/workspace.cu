//@ scratch part : f32[64]
//@ launch sums<<<64, 256>>>(x, part, n)
//@ launch last<<<1, 32>>>(part, y)
__global__ void sums(const float* x, float* part, int n) {
    __shared__ float s[256];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 64 * 256) sum += x[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}
__global__ void last(const float* part, float* y) {
    float sum = part[threadIdx.x] + part[threadIdx.x + 32];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x == 0) *y = sum;
}
