// Each thread marches along z with the points below, at and above it in registers; neighbours along x are a warp's own registers, by
// shuffles, and neighbours along y come from the cache.
//@ tune HEIGHT = 8 4
//@ tune DEPTH = 32 16 64
//@ launch stencil_march<<<dim3(ceil_div(nx, 32), ceil_div(ny, HEIGHT), ceil_div(nz, DEPTH)), dim3(32, HEIGHT)>>>(u, v, centre, side, nx, ny, nz)

__global__ void __launch_bounds__(32 * HEIGHT)
stencil_march(const float* __restrict__ u, float* __restrict__ v, float centre, float side, int nx, int ny, int nz) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    if (y >= ny) return; // a whole warp, which the shuffles below need
    const bool inside = x < nx;
    const int first = blockIdx.z * DEPTH, last = min(first + DEPTH, nz);
    const size_t plane = static_cast<size_t>(nx) * ny;
    const size_t column = static_cast<size_t>(y) * nx + x;
    const float* at = u + first * plane + column;
    float* out = v + first * plane + column;

    float below = inside && first > 0 ? at[-static_cast<long long>(plane)] : 0.0f;
    float here = inside ? *at : 0.0f;
    for (int z = first; z < last; ++z, at += plane, out += plane) {
        const float above = inside && z + 1 < nz ? at[plane] : 0.0f;
        const float front = inside && y > 0 ? at[-nx] : 0.0f;
        const float back = inside && y + 1 < ny ? at[nx] : 0.0f;
        const float left = __shfl_up_sync(0xFFFFFFFFu, here, 1);
        const float right = __shfl_down_sync(0xFFFFFFFFu, here, 1);
        if (inside) *out = centre * here + side * (((left + right) + (front + back)) + (below + above));
        below = here;
        here = above;
    }
}
