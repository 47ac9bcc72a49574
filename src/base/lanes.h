/* lanes: numbers side by side in a vector register, for the innermost loops.
 *
 * For kernels (base/isa.h). */
#ifndef BL_LANES_H
#define BL_LANES_H

/* may stand anywhere among doubles; eight in kernels (base/isa.h) for AVX-512, else four */
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
