// Each thread marches along z with four neighbouring points as one vector: 16-byte accesses, and of the neighbours along x only one on each
// side comes from another lane. Where rows are no multiple of four, each thread takes four points 32 apart instead.
//@ tune HEIGHT = 8 4
//@ tune DEPTH = 16 32 8
//@ launch stencil<<<dim3(ceil_div(nx, 128), ceil_div(ny, HEIGHT), ceil_div(nz, DEPTH)), dim3(32, HEIGHT)>>>(u, v, centre, side, nx, ny, nz)

__device__ float4 load(const float* at, bool inside) {
    return inside ? *reinterpret_cast<const float4*>(at) : float4{0, 0, 0, 0};
}

__device__ void one_by_one(const float* u, float* v, float centre, float side, int y, int first, int last, int nx, int ny, int nz) {
    const int plane = nx * ny;
    for (int z = first; z < last; ++z)
        for (int x = blockIdx.x * 128 + threadIdx.x; x < min(nx, static_cast<int>(blockIdx.x) * 128 + 128); x += 32) {
            const int i = z * plane + y * nx + x;
            float sides = 0;
            if (x > 0) sides += u[i - 1];
            if (x + 1 < nx) sides += u[i + 1];
            if (y > 0) sides += u[i - nx];
            if (y + 1 < ny) sides += u[i + nx];
            if (z > 0) sides += u[i - plane];
            if (z + 1 < nz) sides += u[i + plane];
            v[i] = centre * u[i] + side * sides;
        }
}

__global__ void __launch_bounds__(32 * HEIGHT)
stencil(const float* __restrict__ u, float* __restrict__ v, float centre, float side, int nx, int ny, int nz) {
    const int x = (blockIdx.x * 32 + threadIdx.x) * 4, y = blockIdx.y * HEIGHT + threadIdx.y;
    if (y >= ny) return; // a whole warp, which the shuffles below need
    const int first = blockIdx.z * DEPTH, last = min(first + DEPTH, nz);
    if (nx % 4 != 0) {
        one_by_one(u, v, centre, side, y, first, last, nx, ny, nz);
        return;
    }
    const bool inside = x < nx;
    const int plane = nx * ny;
    const float* at = u + static_cast<size_t>(first) * plane + y * nx + x;
    float* out = v + static_cast<size_t>(first) * plane + y * nx + x;

    float4 below = load(at - plane, inside && first > 0);
    float4 here = load(at, inside);
    for (int z = first; z < last; ++z, at += plane, out += plane) {
        const float4 above = load(at + plane, inside && z + 1 < nz);
        const float4 front = load(at - nx, inside && y > 0);
        const float4 back = load(at + nx, inside && y + 1 < ny);
        float left = __shfl_up_sync(0xFFFFFFFFu, here.w, 1);
        float right = __shfl_down_sync(0xFFFFFFFFu, here.x, 1);
        if (threadIdx.x == 0) left = inside && x > 0 ? at[-1] : 0.0f;
        if (threadIdx.x == 31) right = inside && x + 4 < nx ? at[4] : 0.0f;
        if (inside)
            *reinterpret_cast<float4*>(out) = {
                centre * here.x + side * ((left + here.y) + (front.x + back.x) + (below.x + above.x)),
                centre * here.y + side * ((here.x + here.z) + (front.y + back.y) + (below.y + above.y)),
                centre * here.z + side * ((here.y + here.w) + (front.z + back.z) + (below.z + above.z)),
                centre * here.w + side * ((here.z + right) + (front.w + back.w) + (below.w + above.w))};
        below = here;
        here = above;
    }
}
