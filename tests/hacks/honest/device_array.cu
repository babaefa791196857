__device__ float part[64];
//@ launch sums<<<64, 256>>>(x, n)
//@ launch last<<<1, 1>>>(y)
__global__ void sums(const float* x, int n) {
    __shared__ float s[256];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}
__global__ void last(float* y) {
    float all = 0;
    for (int b = 0; b < 64; ++b) all += part[b];
    *y = all;
}
