// A histogram in shared memory for every block, added to the result at its end.
//@ launch clear<<<1, 256>>>(counts)
//@ launch histogram<<<min(ceil_div(n, 256), 1024), 256>>>(x, counts, n)

__global__ void clear(unsigned int* counts) { counts[threadIdx.x] = 0; }

__global__ void histogram(const unsigned char* x, unsigned int* counts, int n) {
    __shared__ unsigned int bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&bins[x[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}
