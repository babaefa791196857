// One thread a point in blocks of three dimensions; neighbours come from the caches.
//@ tune HEIGHT = 4 8
//@ tune DEPTH = 4 2
//@ launch stencil<<<dim3(ceil_div(nx, 32), ceil_div(ny, HEIGHT), ceil_div(nz, DEPTH)), dim3(32, HEIGHT, DEPTH)>>>(u, v, centre, side, nx, ny, nz)

__global__ void __launch_bounds__(32 * HEIGHT * DEPTH)
stencil(const float* __restrict__ u, float* __restrict__ v, float centre, float side, int nx, int ny, int nz) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y, z = blockIdx.z * DEPTH + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    const int plane = nx * ny, i = z * plane + y * nx + x;
    float sides = 0;
    if (x > 0) sides += u[i - 1];
    if (x + 1 < nx) sides += u[i + 1];
    if (y > 0) sides += u[i - nx];
    if (y + 1 < ny) sides += u[i + nx];
    if (z > 0) sides += u[i - plane];
    if (z + 1 < nz) sides += u[i + plane];
    v[i] = centre * u[i] + side * sides;
}
