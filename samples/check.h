// What the programs of this folder share: a call that fails ends the program with its line.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t status_ = (call);                                                                            \
        if (status_ != cudaSuccess) {                                                                                  \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, cudaGetErrorName(status_), cudaGetErrorString(status_)); \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

/// Says how it went, and what main is to return.
inline int verdict(bool right) {
    std::printf("%s\n", right ? "PASS" : "FAIL");
    return right ? 0 : 1;
}
