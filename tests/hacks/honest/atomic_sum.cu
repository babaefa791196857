//@ launch zero<<<1, 1>>>(y)
//@ launch k<<<32, 256>>>(x, y, n)
__global__ void zero(float* y) { *y = 0; }
__global__ void k(const float* x, float* y, int n) {
    __shared__ float s[256];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(y, s[0]);
}
