// Nothing but fused multiply-adds: 64 per round.
extern "C" __global__ void fma_loop(int n, float factor, const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], b = a + 1, c = a + 2, d = a + 3;
    for (int round = 0; round < n; ++round) {
#pragma unroll
        for (int step = 0; step < 16; ++step) {
            a = a * factor + b;
            b = b * factor + c;
            c = c * factor + d;
            d = d * factor + a;
        }
    }
    y[i] = a + b + c + d;
}
