/* What the library was built from: a digest of its sources and flags, which `ftree.native` compares with those beside it. */
#include "table.h"
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
    __asm__("xgetbv" : "=a"(kept), "=d"(d) : "c"(0)); /* the registers that the system keeps: 6 are those of AVX, e0 of AVX-512 */
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    const uint32_t avx2 = bit_AVX2 | bit_BMI | bit_BMI2, avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    if ((kept & 6) != 6 || (b & avx2) != avx2) return 0;
    return (kept & 0xe0) == 0xe0 && (b & avx512) == avx512 && c & bit_AVX512VPOPCNTDQ ? 2 : 1;
#else
    return 0;
#endif
}

/* The sizes of the structs (n,), which Python makes as arrays, in the order of `ftree.native.STRUCTS`. */
FTREE_API int64_t ftree_sizes(int64_t *sizes, int64_t n)
{
    const size_t own[] = {sizeof(Column),    sizeof(Scored),      sizeof(Criterion), sizeof(StandIn),
                          sizeof(TableNode), sizeof(Copy),        sizeof(Step),      sizeof(Question),
                          sizeof(Division),  sizeof(GrowthRules), sizeof(Item),      sizeof(Cut),
                          sizeof(Open),      sizeof(GrownNode),   sizeof(Search),    sizeof(SearchedFeature),
                          sizeof(Drawn),     sizeof(Part),        sizeof(Raised),    sizeof(Fork)};
    for (int64_t i = 0; i < n; i++) sizes[i] = (int64_t)own[i];
    return n;
}

#if defined(__MINGW32__) && !__STDC_HOSTED__ /* a DLL without a C runtime names its own entry */
int DllMainCRTStartup(void *module, unsigned long reason, void *reserved);
int DllMainCRTStartup(void *module, unsigned long reason, void *reserved)
{
    (void)module, (void)reason, (void)reserved;
    return 1;
}
#endif
