// One compare-and-exchange pass of a bitonic sort.
extern "C" __global__ void bitonic(int* data, int j, int k) {
    const unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    const unsigned other = i ^ j;
    if (other <= i) return;
    const int here = data[i], there = data[other];
    if ((i & k) == 0 ? here > there : here < there) {
        data[i] = there;
        data[other] = here;
    }
}
