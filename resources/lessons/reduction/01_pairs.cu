// The plain kernel: a tree in shared memory for every block, with neighbours paired first.
//@ tune BLOCK = 256 128 512 1024
//@ launch clear<<<1, 1>>>(total)
//@ launch sum<<<ceil_div(n, BLOCK), BLOCK>>>(x, total, n)

__global__ void clear(float* total) { *total = 0; }

__global__ void sum(const float* x, float* total, int n) {
    __shared__ float partial[BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    partial[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        if (threadIdx.x % (2 * step) == 0) partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, partial[0]);
}
