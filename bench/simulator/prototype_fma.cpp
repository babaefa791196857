// Drives the prototype's FMA loop, for which it has a kernel but no program. PROTOTYPE is the path of its source.
#define main prototype_main
#include PROTOTYPE
#undef main

int main(int count, char** arguments) {
    if (count < 3) return 2;
    const int threads = atoi(arguments[2]);
    const u32 n = 64 * 256;
    std::vector<float> memory(2 * n, 0.5f);
    glo = reinterpret_cast<const uint8_t*>(memory.data());
    ghi = glo + memory.size() * sizeof(float);
    Prog program = parse(slurp(arguments[1]), "saxpy");
    uint8_t block[64] = {};
    *reinterpret_cast<u32*>(block) = 256;
    *reinterpret_cast<float*>(block + 4) = 0.25f;
    *reinterpret_cast<u64*>(block + 8) = reinterpret_cast<u64>(memory.data());
    *reinterpret_cast<u64*>(block + 16) = reinterpret_cast<u64>(memory.data() + n);
    double best = 1e30;
    for (int run = 0; run < 2; ++run) { // the first warms up
        Stat total;
        best = launch<false>(program, 64, 1, 256, 1, block, threads, total);
    }
    printf("%.5f\n", best);
    return 0;
}
