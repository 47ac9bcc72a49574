/* lanes: vectors of doubles for the innermost loops of kernels (base/isa.h). */
#ifndef BL_LANES_H
#define BL_LANES_H

/* eight doubles in kernels for AVX-512, else four; aligned like a double, so that any array can be read */
#if defined(__GNUC__) && defined(BL_ISA_avx512)
typedef double bl_lanes __attribute__((vector_size(64), aligned(8), may_alias));
#elif defined(__GNUC__)
typedef double bl_lanes __attribute__((vector_size(32), aligned(8), may_alias));
#else
typedef double bl_lanes;
#endif

/* always four */
#if defined(__GNUC__)
typedef double bl_four __attribute__((vector_size(32), aligned(8), may_alias));
#endif

enum { BL_LANES = sizeof(bl_lanes) / sizeof(double) };

#endif
