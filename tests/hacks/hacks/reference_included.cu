#include "reference.cu"
//@ launch plain<<<ceil_div(n, 256), 256>>>(x, y, n)
