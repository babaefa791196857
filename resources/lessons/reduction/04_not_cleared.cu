// As many blocks as fit on the GPU at once; sums in registers, then by shuffles, then one atomic addition a block.
//@ tune BLOCK = 256 512 1024
//@ tune BLOCKS = 1056 528 264
//@ launch sum<<<BLOCKS, BLOCK>>>(x, total, n)

__device__ float block_sum(float value) {
    __shared__ float warps[BLOCK / 32];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < BLOCK / 32 ? warps[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value; // whole in the first warp
}

__global__ void __launch_bounds__(BLOCK) sum(const float* __restrict__ x, float* total, int n) {
    float mine = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCKS * BLOCK) mine += x[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) atomicAdd(total, mine);
}
