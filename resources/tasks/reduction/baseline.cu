// A tree in shared memory for every 256 elements, its sums added up by atomics.
//@ launch clear<<<1, 1>>>(total)
//@ launch sum<<<ceil_div(n, 256), 256>>>(x, total, n)

__global__ void clear(float* total) { *total = 0; }

__global__ void sum(const float* x, float* total, int n) {
    __shared__ float partial[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    partial[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, partial[0]);
}
