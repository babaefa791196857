//@ tune BLOCK = 64 128 0x100
//@ scratch partial : f32[rows, ceil_div(cols, BLOCK)]
//@ launch row_max<BLOCK><<<dim3(ceil_div(cols, BLOCK), rows), BLOCK>>>(x, partial, rows, cols)
//@ launch ns::softmax<float, 4, (A > B)><<<rows, BLOCK, BLOCK * 4, 0>>>(x, partial, y, rows, cols, eps, -1.5f, true)
