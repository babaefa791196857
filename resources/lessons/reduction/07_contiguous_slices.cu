// Many short blocks instead of few long ones: a block sums one contiguous slice of BLOCK * UNROLL vectors and ends, so that the GPU's
// scheduler evens out what SMs do. All of a thread's loads are in flight at once. A second launch of one block adds the blocks' sums.
//@ tune BLOCK = 256 512 128
//@ tune UNROLL = 8 4 16
//@ scratch partial : f32[ceil_div(n, BLOCK * UNROLL * 4)]
//@ launch sum_blocks<<<ceil_div(n, BLOCK * UNROLL * 4), BLOCK>>>(x, partial, n)
//@ launch sum_partials<<<1, 1024>>>(partial, total, ceil_div(n, BLOCK * UNROLL * 4))

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
    const int count = n / 4, first = blockIdx.x * BLOCK * UNROLL + threadIdx.x;
    float4 v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
        const int i = first + k * BLOCK;
        v[k] = i < count ? __ldcs(vectors + i) : float4{0, 0, 0, 0};
    }
    float mine = 0;
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) mine += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    if (blockIdx.x == 0 && threadIdx.x < n % 4) mine += x[count * 4 + threadIdx.x];
    mine = block_sum<BLOCK>(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

__global__ void __launch_bounds__(1024) sum_partials(const float* __restrict__ partial, float* __restrict__ total, int count) {
    float mine = 0;
    for (int i = threadIdx.x; i < count; i += 1024) mine += partial[i];
    mine = block_sum<1024>(mine);
    if (threadIdx.x == 0) *total = mine;
}
