//@ launch zero<<<1, bins>>>(h)
//@ launch k<<<16, 256>>>(x, h, n, bins)
__global__ void zero(int* h) { h[threadIdx.x] = 0; }
__global__ void k(const int* x, int* h, int n, int bins) {
    __shared__ int s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 16 * 256) atomicAdd(&s[x[i]], 1);
    __syncthreads();
    if (threadIdx.x < bins) atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}
