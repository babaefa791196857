// Enough blocks to fill the GPU once. Each thread has UNROLL independent 16-byte loads in flight and adds them to accumulators of their own;
// warps reduce by shuffles, and a second launch of one block adds the blocks' sums, in the same order in every run.
//@ tune BLOCK = 512 256 1024
//@ tune BLOCKS = 528 264 1056
//@ tune UNROLL = 4 2 8
//@ scratch partial : f32[BLOCKS]
//@ launch sum_blocks<<<BLOCKS, BLOCK>>>(x, partial, n)
//@ launch sum_partials<<<1, 1024>>>(partial, total, BLOCKS)

template<int threads>
__device__ float block_sum(float value) {
    __shared__ float warps[threads / 32];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < threads / 32 ? warps[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value; // whole in the first warp
}

__global__ void __launch_bounds__(BLOCK) sum_blocks(const float* __restrict__ x, float* __restrict__ partial, int n) {
    const float4* vectors = reinterpret_cast<const float4*>(x);
    const int count = n / 4, stride = BLOCKS * BLOCK, first = blockIdx.x * BLOCK + threadIdx.x;
    float4 sum[UNROLL] = {};
    int i = first;
    for (; i + (UNROLL - 1) * stride < count; i += UNROLL * stride) {
        float4 v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) v[k] = __ldcs(vectors + i + k * stride);
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            sum[k].x += v[k].x;
            sum[k].y += v[k].y;
            sum[k].z += v[k].z;
            sum[k].w += v[k].w;
        }
    }
    float mine = first < n % 4 ? x[count * 4 + first] : 0.0f;
    for (; i < count; i += stride) {
        const float4 v = vectors[i];
        mine += (v.x + v.y) + (v.z + v.w);
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) mine += (sum[k].x + sum[k].y) + (sum[k].z + sum[k].w);
    mine = block_sum<BLOCK>(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

__global__ void __launch_bounds__(1024) sum_partials(const float* __restrict__ partial, float* __restrict__ total, int count) {
    float mine = 0;
    for (int i = threadIdx.x; i < count; i += 1024) mine += partial[i];
    mine = block_sum<1024>(mine);
    if (threadIdx.x == 0) *total = mine;
}
