//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float s[256];
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(s + threadIdx.x));
    if (i < n) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + i));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    if (i < n) y[i] = 3.0f * s[threadIdx.x] + 1.0f;
}
