// COPIES histograms a block in shared memory, interleaved so that copy c of every bin lies in the banks ≡ c: lanes that add to the
// same bin at once mostly meet different copies, so atomics seldom wait for one another. Bytes come sixteen at a time, which takes the
// loads off the critical path. Only sums reach global memory.
//@ tune BLOCK = 512 256 1024
//@ tune COPIES = 8 4 16
//@ tune BLOCKS = 264 132 528
//@ launch clear<<<1, 256>>>(counts)
//@ launch histogram_private<<<min(ceil_div(n, BLOCK * 16), BLOCKS), BLOCK>>>(x, counts, n)

__global__ void clear(unsigned int* counts) { counts[threadIdx.x] = 0; }

__device__ void add_four(unsigned int* bins, unsigned int word) {
    atomicAdd(&bins[(word & 255u) * COPIES], 1u);
    atomicAdd(&bins[(word >> 8 & 255u) * COPIES], 1u);
    atomicAdd(&bins[(word >> 16 & 255u) * COPIES], 1u);
    atomicAdd(&bins[(word >> 24) * COPIES], 1u);
}

__global__ void __launch_bounds__(BLOCK) histogram_private(const unsigned char* __restrict__ x, unsigned int* counts, int n) {
    __shared__ unsigned int bins[256 * COPIES];
    for (int i = threadIdx.x; i < 256 * COPIES; i += BLOCK) bins[i] = 0;
    __syncthreads();
    unsigned int* mine = bins + threadIdx.x % COPIES;
    const uint4* vectors = reinterpret_cast<const uint4*>(x);
    const int first = blockIdx.x * BLOCK + threadIdx.x;
    for (int i = first; i < n / 16; i += gridDim.x * BLOCK) {
        const uint4 v = vectors[i];
        add_four(mine, v.x);
        add_four(mine, v.y);
        add_four(mine, v.z);
        add_four(mine, v.w);
    }
    if (first < n % 16) atomicAdd(&mine[x[n / 16 * 16 + first] * COPIES], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += BLOCK) {
        unsigned int sum = 0;
        // Started apart, so that the threads of a warp read different banks.
        for (int c = 0; c < COPIES; ++c) sum += bins[bin * COPIES + (c + bin) % COPIES];
        if (sum > 0) atomicAdd(&counts[bin], sum);
    }
}
