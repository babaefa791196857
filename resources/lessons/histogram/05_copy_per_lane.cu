// A histogram for each of a warp's 32 lanes, interleaved: bin b of lane l is word 32 b + l, which lies in bank l. Whatever the bytes are, the
// lanes of a warp meet 32 different banks. A block's 32 KB are shared by all of its warps. At the end each warp sums bins, one word a lane,
// by shuffles. Bytes come sixteen at a time, UNROLL loads in flight a thread.
//@ tune BLOCK = 1024 512
//@ tune BLOCKS = 264 132 528
//@ tune UNROLL = 2 4 1
//@ launch clear<<<1, 256>>>(counts)
//@ launch histogram<<<min(ceil_div(n, BLOCK * 16), BLOCKS), BLOCK>>>(x, counts, n)

__global__ void clear(unsigned int* counts) { counts[threadIdx.x] = 0; }

__device__ void add_four(unsigned int* mine, unsigned int word) {
    atomicAdd(&mine[(word & 255u) * 32], 1u);
    atomicAdd(&mine[(word >> 8 & 255u) * 32], 1u);
    atomicAdd(&mine[(word >> 16 & 255u) * 32], 1u);
    atomicAdd(&mine[(word >> 24) * 32], 1u);
}

__device__ void add(unsigned int* mine, uint4 v) {
    add_four(mine, v.x);
    add_four(mine, v.y);
    add_four(mine, v.z);
    add_four(mine, v.w);
}

__global__ void __launch_bounds__(BLOCK) histogram(const unsigned char* __restrict__ x, unsigned int* counts, int n) {
    __shared__ unsigned int bins[256 * 32];
    for (int i = threadIdx.x; i < 256 * 32; i += BLOCK) bins[i] = 0;
    __syncthreads();
    const int lane = threadIdx.x % 32;
    unsigned int* mine = bins + lane;
    const uint4* vectors = reinterpret_cast<const uint4*>(x);
    const int first = blockIdx.x * BLOCK + threadIdx.x, stride = gridDim.x * BLOCK, count = n / 16;
    int i = first;
    for (; i + (UNROLL - 1) * stride < count; i += UNROLL * stride) {
        uint4 v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) v[k] = __ldcs(vectors + i + k * stride);
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) add(mine, v[k]);
    }
    for (; i < count; i += stride) add(mine, vectors[i]);
    if (first < n % 16) atomicAdd(&mine[x[count * 16 + first] * 32], 1u);
    __syncthreads();
    for (int bin = threadIdx.x / 32; bin < 256; bin += BLOCK / 32) {
        const unsigned int sum = __reduce_add_sync(0xFFFFFFFFu, bins[bin * 32 + lane]);
        if (lane == 0 && sum > 0) atomicAdd(&counts[bin], sum);
    }
}
