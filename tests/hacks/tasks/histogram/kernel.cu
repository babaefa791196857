//@ launch plain<<<1, bins>>>(x, h, n)
__global__ void plain(const int* x, int* h, int n) {
    int count = 0;
    for (int i = 0; i < n; ++i) count += x[i] == threadIdx.x;
    h[threadIdx.x] = count;
}
