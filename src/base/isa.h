/* isa: kernels compiled for several instruction sets, one of which a context uses.
 *
 * A kernel file is named NAME_isa.c. The build compiles it once per instruction set, with BL_ISA_SUFFIX set to plain, avx2 or avx512; all
 * its functions are static, and it ends in a const table of them named BL_ISA_NAME(type). Beside the type stands BL_ISA_DECLARE(type),
 * and whoever has a context takes its table once by BL_ISA_PICK(ctx, type). Outside of kernel files products and sums are never fused;
 * inside, the wide sets fuse them (docs/ARCHITECTURE.md, rule "Determinism"). */
#ifndef BL_ISA_H
#define BL_ISA_H

#include "base/base.h"

/* the build compiles wide kernels: CMakeLists.txt has the same condition */
#if defined(__x86_64__)
#define BL_ISA_WIDE 1
#else
#define BL_ISA_WIDE 0
#endif

typedef enum bl_isa { BL_ISA_PLAIN, BL_ISA_AVX2, BL_ISA_AVX512, BL_ISA_COUNT } bl_isa;

/* What the kernels of a context use: the widest that the machine has, or what BIELA_ISA named when the context was made. */
bl_isa bl_context_isa(const bl_context *ctx);
/* For tests; false: this machine or this build does not have it, and nothing changes. */
bool bl_context_use_isa(bl_context *ctx, bl_isa isa);
bool bl_isa_available(bl_isa isa);
const char *bl_isa_name(bl_isa isa); /* as in BIELA_ISA: sse2, avx2, avx512; the first is "plain" where there is no SSE2 */

#define BL_ISA_JOIN(type, suffix) type##_##suffix
#define BL_ISA_EXPAND(type, suffix) BL_ISA_JOIN(type, suffix)
#define BL_ISA_NAME(type) BL_ISA_EXPAND(type, BL_ISA_SUFFIX)

#if BL_ISA_WIDE
#define BL_ISA_DECLARE(type) extern const type type##_plain, type##_avx2, type##_avx512
#define BL_ISA_TABLE(isa, type) ((const type *const[]){&type##_plain, &type##_avx2, &type##_avx512}[isa])
#else
#define BL_ISA_DECLARE(type) extern const type type##_plain
#define BL_ISA_TABLE(isa, type) ((void)(isa), &type##_plain)
#endif
#define BL_ISA_PICK(ctx, type) BL_ISA_TABLE(bl_context_isa(ctx), type)

#endif
