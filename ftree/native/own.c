/* A user's impurity, which is a C function of another library, by its address. */
#include "native.h"

/* Write the impurities (n,) of nodes with class counts (n, k). */
FTREE_API int64_t ftree_impurities(int64_t address, const double *counts, double *answers, int64_t n, int64_t k)
{
    OwnImpurity own = (OwnImpurity)(intptr_t)address;
    for (int64_t i = 0; i < n; i++) answers[i] = own(counts + i * k, k);
    return n;
}
