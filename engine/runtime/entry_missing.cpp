// Calls that this runtime does not have. Each ends the program with a sentence that names it.
#include "engine/runtime/call.h"

#define KW_MISSING(name)                                                                                               \
    KW_API void name() { kw::runtime::unsupported(#name); }
#include "engine/runtime/missing.inc"
#undef KW_MISSING
