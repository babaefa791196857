/* //@ launch a<<<1, 1>>>() */
const char* s = R"x(//@ launch b<<<1, 1>>>())x"; char c = '"'; int n = 1'000; // //@ no
//@ launch k<T<'>'>, (1 >> 2), 3 << 4><<<1, 1>>>()
