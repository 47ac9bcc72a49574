/* isa: kernels compiled for several instruction sets; each context uses one of them.
 *
 * A kernel file is named NAME_isa.c. The build compiles it once per instruction set, with BL_ISA_SUFFIX set to plain, avx2 or avx512; all
 * its functions are static, and it ends in a const table of them named BL_ISA_NAME(type). The header of the type has
 * BL_ISA_DECLARE(type), and callers select the table of a context once by BL_ISA_PICK(ctx, type). Fused multiply-add is used only in
 * kernel files, by the wide sets (docs/ARCHITECTURE.md, rule "Determinism"). */
#ifndef BL_ISA_H
#define BL_ISA_H

#include "base/base.h"

/* whether the build compiles wide kernels; CMakeLists.txt has the same condition */
#if defined(__x86_64__)
#define BL_ISA_WIDE 1
#else
#define BL_ISA_WIDE 0
#endif

typedef enum bl_isa { BL_ISA_PLAIN, BL_ISA_AVX2, BL_ISA_AVX512, BL_ISA_COUNT } bl_isa;

/* The instruction set of a context's kernels: the widest of the machine, or the one named by BIELA_ISA when the context was created. */
bl_isa bl_context_isa(const bl_context *ctx);
/* For tests; false: not available on this machine or in this build, nothing changes. */
bool bl_context_use_isa(bl_context *ctx, bl_isa isa);
bool bl_isa_available(bl_isa isa);
const char *bl_isa_name(bl_isa isa); /* as in BIELA_ISA: sse2, avx2, avx512; on machines without SSE2 the first is "plain" */

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
