#include <mma.h>
//@ launch k<<<dim3(n / 16, n / 16), 32>>>(a, b, c, n)
__global__ void k(const float* a, const float* b, float* c, int n) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> fa;
    fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> fb;
    fragment<accumulator, 16, 16, 8, float> fc;
    fill_fragment(fc, 0.0f);
    for (int k0 = 0; k0 < n; k0 += 8) {
        load_matrix_sync(fa, a + blockIdx.y * 16 * n + k0, n);
        load_matrix_sync(fb, b + k0 * n + blockIdx.x * 16, n);
        for (int t = 0; t < fa.num_elements; ++t) fa.x[t] = __float_to_tf32(fa.x[t]);
        for (int t = 0; t < fb.num_elements; ++t) fb.x[t] = __float_to_tf32(fb.x[t]);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, mem_row_major);
}
