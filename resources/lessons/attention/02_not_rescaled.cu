// Scores never leave registers. A block owns QUERIES queries of a head and walks over tiles of KEYS keys and values in shared memory,
// which all its queries share, so K and V are read from memory length/QUERIES times instead of length times. Four lanes own a query,
// sixteen dimensions each; an online softmax rescales the sum of weights whenever a tile raises the maximum. Tiles beyond the last query
// are never visited: half of the work of a causal mask is not done instead of done and masked.
//@ tune QUERIES = 64 32
//@ tune KEYS = 16 32
//@ launch attention_online<<<dim3(ceil_div(length, QUERIES), heads), QUERIES * 4>>>(q, k, v, o, scale, length)

constexpr float kLowest = -3.402823466e38f;

__device__ float dot(float4 a, float4 b) { return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w); }

__device__ void scale_by(float4& a, float factor) {
    a.x *= factor;
    a.y *= factor;
    a.z *= factor;
    a.w *= factor;
}

__device__ void add_scaled(float4& a, float factor, float4 b) {
    a.x += factor * b.x;
    a.y += factor * b.y;
    a.z += factor * b.z;
    a.w += factor * b.w;
}

__global__ void __launch_bounds__(QUERIES * 4)
attention_online(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ o,
                 float scale, int length) {
    __shared__ float4 tile_k[KEYS][16];
    __shared__ float4 tile_v[KEYS][16];
    const int lane = threadIdx.x % 4, query = blockIdx.x * QUERIES + threadIdx.x / 4;
    const size_t head = static_cast<size_t>(blockIdx.y) * length * 16;
    const float4* queries = reinterpret_cast<const float4*>(q) + head;
    const float4* keys = reinterpret_cast<const float4*>(k) + head;
    const float4* values = reinterpret_cast<const float4*>(v) + head;

    // Lane l of a query's four holds its vectors l, l + 4, l + 8, l + 12: together they read 64 contiguous bytes of a tile.
    float4 mine[4], sum[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        mine[i] = query < length ? queries[query * 16 + lane + 4 * i] : float4{0, 0, 0, 0};
        scale_by(mine[i], scale);
        sum[i] = {0, 0, 0, 0};
    }
    float largest = kLowest, total = 0;

    const int end = min((static_cast<int>(blockIdx.x) + 1) * QUERIES, length);
    for (int first = 0; first < end; first += KEYS) {
        __syncthreads();
        for (int i = threadIdx.x; i < KEYS * 16; i += QUERIES * 4) {
            const bool inside = first + i / 16 < length;
            tile_k[i / 16][i % 16] = inside ? keys[first * 16 + i] : float4{0, 0, 0, 0};
            tile_v[i / 16][i % 16] = inside ? values[first * 16 + i] : float4{0, 0, 0, 0};
        }
        __syncthreads();

        float score[KEYS], tile_largest = largest;
#pragma unroll
        for (int j = 0; j < KEYS; ++j) {
            float part = 0;
#pragma unroll
            for (int i = 0; i < 4; ++i) part += dot(mine[i], tile_k[j][lane + 4 * i]);
            part += __shfl_xor_sync(0xFFFFFFFFu, part, 1);
            part += __shfl_xor_sync(0xFFFFFFFFu, part, 2);
            score[j] = first + j <= query ? part : kLowest;
            tile_largest = fmaxf(tile_largest, score[j]);
        }
        const float rescale = __expf(largest - tile_largest);
        largest = tile_largest;
        total *= rescale;
#pragma unroll
        for (int j = 0; j < KEYS; ++j) {
            // The first tile holds key 0, which every query sees, so `largest` is a real score and masked keys get weight 0.
            const float weight = __expf(score[j] - largest);
            total += weight;
#pragma unroll
            for (int i = 0; i < 4; ++i) add_scaled(sum[i], weight, tile_v[j][lane + 4 * i]);
        }
    }
    if (query >= length) return;
    float4* out = reinterpret_cast<float4*>(o) + head;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        scale_by(sum[i], 1.0f / total);
        out[query * 16 + lane + 4 * i] = sum[i];
    }
}
