// Transposes a matrix whose rows are padded: pitched memory, two-dimensional copies, a padded tile.
#include "check.h"

#include <vector>

__global__ void transpose(const int* from, size_t from_pitch, int* to, size_t to_pitch, int rows, int columns) {
    __shared__ int tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        const int row = blockIdx.y * 32 + y;
        if (row < rows && column < columns)
            tile[y][threadIdx.x] = *(reinterpret_cast<const int*>(reinterpret_cast<const char*>(from) + row * from_pitch) + column);
    }
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        const int row = blockIdx.x * 32 + y;
        if (row < columns && column < rows)
            *(reinterpret_cast<int*>(reinterpret_cast<char*>(to) + row * to_pitch) + column) = tile[threadIdx.x][y];
    }
}

int main() {
    const int rows = 203, columns = 317;
    std::vector<int> matrix(rows * columns), turned(rows * columns);
    for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<int>(i * 2654435761u);
    int *d_from, *d_to;
    size_t from_pitch, to_pitch;
    CHECK(cudaMallocPitch(&d_from, &from_pitch, columns * sizeof(int), rows));
    CHECK(cudaMallocPitch(&d_to, &to_pitch, rows * sizeof(int), columns));
    CHECK(cudaMemcpy2D(d_from, from_pitch, matrix.data(), columns * sizeof(int), columns * sizeof(int), rows, cudaMemcpyHostToDevice));
    CHECK(cudaMemset2D(d_to, to_pitch, 0, rows * sizeof(int), columns));
    transpose<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(d_from, from_pitch, d_to, to_pitch, rows, columns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2D(turned.data(), rows * sizeof(int), d_to, to_pitch, rows * sizeof(int), columns, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) right = right && turned[j * rows + i] == matrix[i * columns + j];
    CHECK(cudaFree(d_from));
    CHECK(cudaFree(d_to));
    return verdict(right);
}
