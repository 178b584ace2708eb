/* What the library was built from: a digest of its sources and flags, which `ftree.native` compares with those beside it. */
#include "native.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

FTREE_API const char *ftree_digest(void) { return TEXT(FTREE_DIGEST); }

/* Which of VARIANTS in build.py is the last that this processor and its system can run. */
FTREE_API int ftree_processor(void)
{
#if defined(__x86_64__)
    uint32_t a, b, c, d, kept;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_POPCNT)) return 0;
    __asm__("xgetbv" : "=a"(kept), "=d"(d) : "c"(0)); /* the registers that the system keeps */
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    const uint32_t kept_by_avx = 6, kept_by_avx512 = 0xe0;
    const uint32_t avx2 = bit_AVX2 | bit_BMI | bit_BMI2;
    const uint32_t avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    bool has_avx2 = (kept & kept_by_avx) == kept_by_avx && (b & avx2) == avx2;
    bool has_avx512 = (kept & kept_by_avx512) == kept_by_avx512 && (b & avx512) == avx512 && c & bit_AVX512VPOPCNTDQ;
    return has_avx2 ? 1 + has_avx512 : 0;
#else
    return 0;
#endif
}

#if defined(__MINGW32__) && !__STDC_HOSTED__ /* a DLL without a C runtime names its own entry */
int DllMainCRTStartup(void *module, unsigned long reason, void *reserved);
int DllMainCRTStartup(void *module, unsigned long reason, void *reserved)
{
    (void)module;
    (void)reason;
    (void)reserved;
    return 1;
}
#endif
