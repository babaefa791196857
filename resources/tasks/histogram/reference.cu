// Each block counts one value.
//@ launch histogram<<<256, 256>>>(x, counts, n)

__global__ void histogram(const unsigned char* x, unsigned int* counts, int n) {
    __shared__ unsigned int partial[256];
    unsigned int mine = 0;
    for (int i = threadIdx.x; i < n; i += 256) mine += x[i] == blockIdx.x ? 1 : 0;
    partial[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x > 0) return;
    unsigned int total = 0;
    for (int i = 0; i < 256; ++i) total += partial[i];
    counts[blockIdx.x] = total;
}
