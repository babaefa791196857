// One block sums in double precision.
//@ launch sum<<<1, 1024>>>(x, total, n)

__global__ void sum(const float* x, float* total, int n) {
    __shared__ double partial[1024];
    double mine = 0;
    for (int i = threadIdx.x; i < n; i += 1024) mine += x[i];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 512; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *total = static_cast<float>(partial[0]);
}
