// The plain kernel: one thread a point, points numbered in one dimension.
//@ tune BLOCK = 256 128 512
//@ launch stencil<<<ceil_div(nx * ny * nz, BLOCK), BLOCK>>>(u, v, centre, side, nx, ny, nz)

__global__ void stencil(const float* u, float* v, float centre, float side, int nx, int ny, int nz) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= nx * ny * nz) return;
    const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    float sides = 0;
    if (x > 0) sides += u[i - 1];
    if (x + 1 < nx) sides += u[i + 1];
    if (y > 0) sides += u[i - nx];
    if (y + 1 < ny) sides += u[i + nx];
    if (z > 0) sides += u[i - nx * ny];
    if (z + 1 < nz) sides += u[i + nx * ny];
    v[i] = centre * u[i] + side * sides;
}
