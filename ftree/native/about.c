/* What the library was built from: a digest of its sources and flags, which `ftree.native` compares with those beside it. */
#include "table.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

FTREE_API const char *ftree_digest(void) { return TEXT(FTREE_DIGEST); }

/* The sizes of the structs (n,), which Python makes as arrays, in the order of `ftree.native.STRUCTS`. */
FTREE_API int64_t ftree_sizes(int64_t *sizes, int64_t n)
{
    const size_t own[] = {sizeof(Column), sizeof(Scored), sizeof(Criterion), sizeof(StandIn), sizeof(TableNode), sizeof(Copy), sizeof(Step), sizeof(Question), sizeof(Division), sizeof(Growing), sizeof(Item), sizeof(Cut),
                          sizeof(Open), sizeof(GrownNode), sizeof(Search), sizeof(SearchedFeature), sizeof(Drawn), sizeof(DrawnNode),
                          sizeof(Link), sizeof(Part), sizeof(Raised), sizeof(Fork)};
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
