// A histogram in shared memory for every block; bytes come sixteen at a time.
//@ tune BLOCK = 256 512
//@ tune BLOCKS = 1056 528
//@ launch clear<<<1, 256>>>(counts)
//@ launch histogram<<<min(ceil_div(n, BLOCK * 16), BLOCKS), BLOCK>>>(x, counts, n)

__global__ void clear(unsigned int* counts) { counts[threadIdx.x] = 0; }

__device__ void add_four(unsigned int* bins, unsigned int word) {
    atomicAdd(&bins[word & 255u], 1u);
    atomicAdd(&bins[word >> 8 & 255u], 1u);
    atomicAdd(&bins[word >> 16 & 255u], 1u);
    atomicAdd(&bins[word >> 24], 1u);
}

__global__ void __launch_bounds__(BLOCK) histogram(const unsigned char* __restrict__ x, unsigned int* counts, int n) {
    __shared__ unsigned int bins[256];
    for (int bin = threadIdx.x; bin < 256; bin += BLOCK) bins[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 16; i += gridDim.x * BLOCK) {
        const uint4 v = reinterpret_cast<const uint4*>(x)[i];
        add_four(bins, v.x);
        add_four(bins, v.y);
        add_four(bins, v.z);
        add_four(bins, v.w);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += BLOCK) atomicAdd(&counts[bin], bins[bin]);
}
