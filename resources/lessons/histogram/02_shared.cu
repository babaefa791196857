// A histogram in shared memory for every block, added to the result at its end.
//@ tune BLOCK = 256 512
//@ tune BLOCKS = 1056 528
//@ launch clear<<<1, 256>>>(counts)
//@ launch histogram<<<min(ceil_div(n, BLOCK), BLOCKS), BLOCK>>>(x, counts, n)

__global__ void clear(unsigned int* counts) { counts[threadIdx.x] = 0; }

__global__ void __launch_bounds__(BLOCK) histogram(const unsigned char* __restrict__ x, unsigned int* counts, int n) {
    __shared__ unsigned int bins[256];
    for (int bin = threadIdx.x; bin < 256; bin += BLOCK) bins[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) atomicAdd(&bins[x[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += BLOCK) atomicAdd(&counts[bin], bins[bin]);
}
