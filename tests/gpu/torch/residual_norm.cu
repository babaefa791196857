#include <cuda_fp16.h>

//@ launch residual_norm<<<rows, 256>>>(x, residual, norm_weight, norm_bias, out0, out1, features)
__device__ float sum_of(float value, float* shared) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (int i = 0; i < 8; ++i) value += shared[i];
    return value;
}

__global__ void residual_norm(const __half* x, const __half* residual, const __half* weight, const __half* bias, __half* normed,
                              __half* total, int features) {
    __shared__ float shared[8];
    const size_t row = static_cast<size_t>(blockIdx.x) * features;
    float sum = 0;
    for (int i = threadIdx.x; i < features; i += blockDim.x) {
        const __half value = __hadd(x[row + i], residual[row + i]);
        total[row + i] = value;
        sum += __half2float(value);
    }
    const float mean = sum_of(sum, shared) / features;
    float squares = 0;
    for (int i = threadIdx.x; i < features; i += blockDim.x) {
        const float value = __half2float(total[row + i]) - mean;
        squares += value * value;
    }
    const float scale = rsqrtf(sum_of(squares, shared) / features + 1e-5f);
    for (int i = threadIdx.x; i < features; i += blockDim.x)
        normed[row + i] = __float2half((__half2float(total[row + i]) - mean) * scale * __half2float(weight[i]) + __half2float(bias[i]));
}
