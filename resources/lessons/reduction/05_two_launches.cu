// Enough blocks to fill the GPU, each striding over the vector with 16-byte loads and summing in registers, so that the inner loop is
// nothing but loads and adds; warps then reduce by shuffles, with one barrier a block. A second launch of one block adds the blocks'
// sums: no atomics, no clearing, and the same result in every run.
//@ tune BLOCK = 256 512
//@ tune BLOCKS = 1056 528 2112
//@ scratch partial : f32[BLOCKS]
//@ launch sum_blocks<<<BLOCKS, BLOCK>>>(x, partial, n)
//@ launch sum_partials<<<1, BLOCK>>>(partial, total, BLOCKS)

__device__ float block_sum(float value) {
    __shared__ float warps[BLOCK / 32];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < BLOCK / 32 ? warps[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value; // whole in the first warp
}

__global__ void __launch_bounds__(BLOCK) sum_blocks(const float* __restrict__ x, float* __restrict__ partial, int n) {
    const float4* vectors = reinterpret_cast<const float4*>(x);
    const int stride = BLOCKS * BLOCK, first = blockIdx.x * BLOCK + threadIdx.x;
    // Four accumulators, so that additions do not wait for one another.
    float4 sum = {0, 0, 0, 0};
    for (int i = first; i < n / 4; i += stride) {
        const float4 v = vectors[i];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    float mine = (sum.x + sum.y) + (sum.z + sum.w);
    if (first < n % 4) mine += x[n / 4 * 4 + first];
    mine = block_sum(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

__global__ void __launch_bounds__(BLOCK) sum_partials(const float* __restrict__ partial, float* __restrict__ total, int count) {
    float mine = 0;
    for (int i = threadIdx.x; i < count; i += BLOCK) mine += partial[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *total = mine;
}
