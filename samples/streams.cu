// Works on parts of an array in several streams, with pinned memory, and makes one stream wait for all by events.
#include "check.h"

__global__ void square(const int* from, int* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] * from[i];
}
__global__ void sum_ends(const int* values, int parts, int part, int* sum) {
    *sum = 0;
    for (int p = 0; p < parts; ++p) *sum += values[p * part] + values[(p + 1) * part - 1];
}

int main() {
    constexpr int kStreams = 4, kPart = 20000, kAll = kStreams * kPart;
    int *values, *squares, *d_values, *d_squares, *d_sum;
    CHECK(cudaMallocHost(&values, kAll * sizeof(int)));
    CHECK(cudaHostAlloc(&squares, kAll * sizeof(int), cudaHostAllocDefault));
    CHECK(cudaMalloc(&d_values, kAll * sizeof(int)));
    CHECK(cudaMalloc(&d_squares, kAll * sizeof(int)));
    CHECK(cudaMalloc(&d_sum, sizeof(int)));
    for (int i = 0; i < kAll; ++i) values[i] = i % 1000;
    cudaStream_t streams[kStreams], last;
    cudaEvent_t done[kStreams], begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
    CHECK(cudaEventRecord(begin, last));
    for (int s = 0; s < kStreams; ++s) {
        const int at = s * kPart;
        CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
        CHECK(cudaMemcpyAsync(d_values + at, values + at, kPart * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
        square<<<(kPart + 255) / 256, 256, 0, streams[s]>>>(d_values + at, d_squares + at, kPart);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(squares + at, d_squares + at, kPart * sizeof(int), cudaMemcpyDeviceToHost, streams[s]));
        CHECK(cudaEventRecord(done[s], streams[s]));
        CHECK(cudaStreamWaitEvent(last, done[s], 0));
    }
    sum_ends<<<1, 1, 0, last>>>(d_squares, kStreams, kPart, d_sum);
    CHECK(cudaEventRecord(end, last));
    CHECK(cudaStreamSynchronize(last));
    CHECK(cudaStreamQuery(streams[0]));
    int sum = 0, expected = 0;
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < kAll; ++i) right = right && squares[i] == values[i] * values[i];
    for (int s = 0; s < kStreams; ++s) expected += squares[s * kPart] + squares[(s + 1) * kPart - 1];
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    for (int s = 0; s < kStreams; ++s) {
        CHECK(cudaStreamDestroy(streams[s]));
        CHECK(cudaEventDestroy(done[s]));
    }
    CHECK(cudaFreeHost(values));
    CHECK(cudaFreeHost(squares));
    return verdict(right && sum == expected && ms > 0);
}
