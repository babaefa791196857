// Each thread marches along z with four neighbouring points of ROWS rows, as vectors: neighbours along z and those along y between its own rows
// are registers, so that a plane costs ROWS + 2 vector loads for ROWS vectors of results, and of the neighbours along x only one on each side
// comes from another lane. Results are stored as streaming: nothing reads them again. Where rows are no multiple of four, each thread takes
// four points 32 apart instead.
//@ tune HEIGHT = 4 8
//@ tune ROWS = 2 4
//@ tune DEPTH = 16 32 8
//@ launch stencil<<<dim3(ceil_div(nx, 128), ceil_div(ny, HEIGHT * ROWS), ceil_div(nz, DEPTH)), dim3(32, HEIGHT)>>>(u, v, centre, side, nx, ny, nz)

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
    const int x = (blockIdx.x * 32 + threadIdx.x) * 4, y = (blockIdx.y * HEIGHT + threadIdx.y) * ROWS;
    if (y >= ny) return; // a whole warp, which the shuffles below need
    const int first = blockIdx.z * DEPTH, last = min(first + DEPTH, nz);
    if (nx % 4 != 0) {
        for (int r = y; r < min(y + ROWS, ny); ++r) one_by_one(u, v, centre, side, r, first, last, nx, ny, nz);
        return;
    }
    const bool inside = x < nx;
    const int plane = nx * ny;
    const float* at = u + static_cast<size_t>(first) * plane + y * nx + x;
    float* out = v + static_cast<size_t>(first) * plane + y * nx + x;

    float4 below[ROWS], here[ROWS], above[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        below[r] = load(at + r * nx - plane, inside && y + r < ny && first > 0);
        here[r] = load(at + r * nx, inside && y + r < ny);
    }
    for (int z = first; z < last; ++z, at += plane, out += plane) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) above[r] = load(at + r * nx + plane, inside && y + r < ny && z + 1 < nz);
        const float4 front = load(at - nx, inside && y > 0);
        const float4 back = load(at + ROWS * nx, inside && y + ROWS < ny);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const float4 c = here[r], f = r > 0 ? here[r - 1] : front, b = r + 1 < ROWS ? here[r + 1] : back;
            float left = __shfl_up_sync(0xFFFFFFFFu, c.w, 1);
            float right = __shfl_down_sync(0xFFFFFFFFu, c.x, 1);
            const bool valid = inside && y + r < ny;
            if (threadIdx.x == 0) left = valid && x > 0 ? at[r * nx - 1] : 0.0f;
            if (threadIdx.x == 31) right = valid && x + 4 < nx ? at[r * nx + 4] : 0.0f;
            const float4 result = {centre * c.x + side * ((left + c.y) + (f.x + b.x) + (below[r].x + above[r].x)),
                                   centre * c.y + side * ((c.x + c.z) + (f.y + b.y) + (below[r].y + above[r].y)),
                                   centre * c.z + side * ((c.y + c.w) + (f.z + b.z) + (below[r].z + above[r].z)),
                                   centre * c.w + side * ((c.z + right) + (f.w + b.w) + (below[r].w + above[r].w))};
            if (valid) __stcs(reinterpret_cast<float4*>(out + r * nx), result);
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            below[r] = here[r];
            here[r] = above[r];
        }
    }
}
