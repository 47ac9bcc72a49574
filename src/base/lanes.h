/* lanes: numbers side by side in a vector register, for the innermost loops.
 *
 * A kernel marked BL_WIDE is compiled for wide registers too; the machine decides when the program starts. The same operations in the
 * same order (products and sums are not fused), so the same numbers everywhere. */
#ifndef BL_LANES_H
#define BL_LANES_H

#include <stdint.h> /* says which C library it is */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define BL_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define BL_WIDE
#endif

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
