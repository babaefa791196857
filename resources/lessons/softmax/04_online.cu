// One read of the row gives maximum and sum together: whenever the maximum grows, the sum so far is scaled down to it (an online
// softmax). A second read, which hits the cache, writes the result. One warp a row, so there is no barrier and no shared memory at
// all, with 16-byte accesses where rows allow them and one division a row instead of one an element.
//@ tune ROWS = 4 2 8
//@ launch softmax_online<<<ceil_div(rows, ROWS), dim3(32, ROWS)>>>(x, y, rows, cols)

struct Running {
    float largest;
    float sum;
};

__device__ Running merge(Running a, Running b) {
    const float largest = fmaxf(a.largest, b.largest);
    return {largest, a.sum * __expf(a.largest - largest) + b.sum * __expf(b.largest - largest)};
}

// Four elements at once rescale the sum once.
__device__ Running add(Running run, float4 v) {
    const float largest = fmaxf(fmaxf(run.largest, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
    const float sum = (__expf(v.x - largest) + __expf(v.y - largest)) + (__expf(v.z - largest) + __expf(v.w - largest));
    return {largest, run.sum * __expf(run.largest - largest) + sum};
}

__global__ void __launch_bounds__(32 * ROWS)
softmax_online(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    const int r = blockIdx.x * ROWS + threadIdx.y;
    if (r >= rows) return; // a whole warp
    const float* row = x + static_cast<size_t>(r) * cols;
    float* out = y + static_cast<size_t>(r) * cols;
    const bool aligned = cols % 4 == 0;

    // Finite, since the difference of two infinities is none.
    Running run{-3.402823466e38f, 0.0f};
    if (aligned) {
        for (int i = threadIdx.x; i < cols / 4; i += 32) run = add(run, reinterpret_cast<const float4*>(row)[i]);
    } else {
        for (int i = threadIdx.x; i < cols; i += 32) run = merge(run, {row[i], 1.0f});
    }
    for (int offset = 16; offset > 0; offset /= 2)
        run = merge(run, {__shfl_xor_sync(0xFFFFFFFFu, run.largest, offset), __shfl_xor_sync(0xFFFFFFFFu, run.sum, offset)});

    const float scale = 1.0f / run.sum;
    if (aligned) {
        for (int i = threadIdx.x; i < cols / 4; i += 32) {
            float4 v = reinterpret_cast<const float4*>(row)[i];
            v.x = __expf(v.x - run.largest) * scale;
            v.y = __expf(v.y - run.largest) * scale;
            v.z = __expf(v.z - run.largest) * scale;
            v.w = __expf(v.w - run.largest) * scale;
            reinterpret_cast<float4*>(out)[i] = v;
        }
    } else {
        for (int i = threadIdx.x; i < cols; i += 32) out[i] = __expf(row[i] - run.largest) * scale;
    }
}
