/* Available instruction sets, queried from the processor; the choice is stored only in a context. */
#include "base/isa.h"

const char *bl_isa_name(bl_isa isa) {
#if BL_ISA_WIDE
    static const char *const names[BL_ISA_COUNT] = {"sse2", "avx2", "avx512"};
#else
    static const char *const names[BL_ISA_COUNT] = {"plain", "avx2", "avx512"};
#endif
    return isa < BL_ISA_COUNT ? names[isa] : "?";
}

bool bl_isa_available(bl_isa isa) {
    switch (isa) {
    case BL_ISA_PLAIN: return true;
#if BL_ISA_WIDE
    case BL_ISA_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case BL_ISA_AVX512:
        return bl_isa_available(BL_ISA_AVX2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
#endif
    default: return false;
    }
}
