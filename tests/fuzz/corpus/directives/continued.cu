//@ launch k<<<4, \
//@   min(rows, 32)>>>(x, \
 y) cooperative cluster(2, 1, 1)
