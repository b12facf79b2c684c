// FD_CLONES compiles a loop twice, for the processor's basic vectors and for
// 256-bit ones, and the loader takes what the processor has. Both round alike:
// without FMA, no sum or product is contracted.
#pragma once
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define FD_CLONES __attribute__((target_clones("default", "avx2")))
#else
#define FD_CLONES
#endif

// Without these a choice between two numbers keeps a loop from being
// vectorised. They change no result; nobody here reads errno or the
// floating-point flags. Included before any function. (A call of sqrtf is not
// vectorised all the same: see root.h.)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno", "no-trapping-math")
#endif
