// One thread a point, in double precision.
//@ launch stencil<<<dim3(ceil_div(nx, 64), ny, nz), 64>>>(u, v, centre, side, nx, ny, nz)

__device__ double value(const float* u, int x, int y, int z, int nx, int ny, int nz) {
    const bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
    return inside ? u[(static_cast<size_t>(z) * ny + y) * nx + x] : 0.0;
}

__global__ void stencil(const float* u, float* v, double centre, double side, int nx, int ny, int nz) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= nx) return;
    const double sides = value(u, x - 1, y, z, nx, ny, nz) + value(u, x + 1, y, z, nx, ny, nz) + value(u, x, y - 1, z, nx, ny, nz)
                         + value(u, x, y + 1, z, nx, ny, nz) + value(u, x, y, z - 1, nx, ny, nz)
                         + value(u, x, y, z + 1, nx, ny, nz);
    v[(static_cast<size_t>(z) * ny + y) * nx + x] = static_cast<float>(centre * value(u, x, y, z, nx, ny, nz) + side * sides);
}
