// The plain kernel: an atomic addition in global memory for every byte.
//@ tune BLOCK = 256 512 1024
//@ launch clear<<<1, 256>>>(counts)
//@ launch histogram<<<ceil_div(n, BLOCK), BLOCK>>>(x, counts, n)

__global__ void clear(unsigned int* counts) { counts[threadIdx.x] = 0; }

__global__ void histogram(const unsigned char* x, unsigned int* counts, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&counts[x[i]], 1u);
}
