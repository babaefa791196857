// Moves bodies under their gravity, tile by tile through shared memory; energy has to stay what it was.
#include "check.h"

#include <cmath>
#include <vector>

constexpr int kTile = 128;
constexpr float kSoftening = 0.05f;

__global__ void accelerate(const float4* bodies, float3* velocities, int n, float dt) {
    __shared__ float4 tile[kTile];
    const int i = blockIdx.x * kTile + threadIdx.x;
    const float4 me = bodies[min(i, n - 1)];
    float3 force = make_float3(0, 0, 0);
    for (int begin = 0; begin < n; begin += kTile) {
        if (begin + threadIdx.x < n) tile[threadIdx.x] = bodies[begin + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < min(kTile, n - begin); ++k) {
            const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening * kSoftening);
            const float strength = tile[k].w * inverse * inverse * inverse;
            force.x += dx * strength;
            force.y += dy * strength;
            force.z += dz * strength;
        }
        __syncthreads();
    }
    if (i < n) {
        velocities[i].x += force.x * dt;
        velocities[i].y += force.y * dt;
        velocities[i].z += force.z * dt;
    }
}
__global__ void move(float4* bodies, const float3* velocities, int n, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bodies[i].x += velocities[i].x * dt;
    bodies[i].y += velocities[i].y * dt;
    bodies[i].z += velocities[i].z * dt;
}

double energy(const std::vector<float4>& bodies, const std::vector<float3>& velocities) {
    double sum = 0;
    for (size_t i = 0; i < bodies.size(); ++i) {
        const auto& v = velocities[i];
        sum += 0.5 * bodies[i].w * (v.x * v.x + v.y * v.y + v.z * v.z);
        for (size_t j = 0; j < i; ++j) {
            const double dx = bodies[i].x - bodies[j].x, dy = bodies[i].y - bodies[j].y, dz = bodies[i].z - bodies[j].z;
            sum -= bodies[i].w * bodies[j].w / std::sqrt(dx * dx + dy * dy + dz * dz + kSoftening * kSoftening);
        }
    }
    return sum;
}

int main() {
    const int n = 400, steps = 20;
    const float dt = 0.001f;
    std::vector<float4> bodies(n);
    std::vector<float3> velocities(n);
    unsigned state = 1;
    const auto next = [&] { return static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5f; };
    for (int i = 0; i < n; ++i) {
        bodies[i] = make_float4(2 * next(), 2 * next(), 2 * next(), 1.0f / n);
        velocities[i] = make_float3(next(), next(), next());
    }
    const double before = energy(bodies, velocities);
    float4* d_bodies;
    float3* d_velocities;
    CHECK(cudaMalloc(&d_bodies, n * sizeof(float4)));
    CHECK(cudaMalloc(&d_velocities, n * sizeof(float3)));
    CHECK(cudaMemcpy(d_bodies, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_velocities, velocities.data(), n * sizeof(float3), cudaMemcpyHostToDevice));
    const int blocks = (n + kTile - 1) / kTile;
    for (int s = 0; s < steps; ++s) {
        accelerate<<<blocks, kTile>>>(d_bodies, d_velocities, n, dt);
        move<<<blocks, kTile>>>(d_bodies, d_velocities, n, dt);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(bodies.data(), d_bodies, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(velocities.data(), d_velocities, n * sizeof(float3), cudaMemcpyDeviceToHost));
    const double after = energy(bodies, velocities);
    std::printf("energy %.5f, then %.5f\n", before, after);
    return verdict(std::isfinite(after) && std::fabs(after - before) < 0.01 * std::fabs(before));
}
