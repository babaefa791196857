// As many blocks as fit on the GPU at once; each thread first sums its share in a register, then the block's tree is climbed once.
//@ tune BLOCK = 256 512 1024
//@ tune BLOCKS = 1056 528 264
//@ launch clear<<<1, 1>>>(total)
//@ launch sum<<<BLOCKS, BLOCK>>>(x, total, n)

__global__ void clear(float* total) { *total = 0; }

__global__ void sum(const float* __restrict__ x, float* total, int n) {
    __shared__ float partial[BLOCK];
    float mine = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCKS * BLOCK) mine += x[i];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, partial[0]);
}
