// A histogram in shared memory for every block; lanes that hold the same byte find one another first, and one adds for all.
//@ tune BLOCK = 256 512
//@ tune BLOCKS = 1056 528
//@ launch clear<<<1, 256>>>(counts)
//@ launch histogram<<<min(ceil_div(n, BLOCK), BLOCKS), BLOCK>>>(x, counts, n)

__global__ void clear(unsigned int* counts) { counts[threadIdx.x] = 0; }

__global__ void __launch_bounds__(BLOCK) histogram(const unsigned char* __restrict__ x, unsigned int* counts, int n) {
    __shared__ unsigned int bins[256];
    for (int bin = threadIdx.x; bin < 256; bin += BLOCK) bins[bin] = 0;
    __syncthreads();
    const int lane = threadIdx.x % 32;
    for (int start = blockIdx.x * BLOCK; start < n; start += gridDim.x * BLOCK) {
        const int i = start + threadIdx.x;
        const int value = i < n ? x[i] : 256; // a value of its own, so that whole warps take part
        const unsigned int same = __match_any_sync(0xFFFFFFFFu, value);
        if (value < 256 && lane == __ffs(same) - 1) atomicAdd(&bins[value], static_cast<unsigned int>(__popc(same)));
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += BLOCK) atomicAdd(&counts[bin], bins[bin]);
}
