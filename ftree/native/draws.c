/* Which features a node looks at, and where it cuts them at random: random numbers are those of
   `ftree._lib.random_numbers`. */
#include "native.h"

/* List the `search->n` features with the smallest draws that are larger than those listed before. */
static void list_next(Draws *d)
{
    uint64_t above = d->n_listed ? d->listed[d->n_listed - 1].draw + 1 : 0;
    uint64_t start = hashed(d->search->stream ^ d->key);
    int64_t n = 0, most = d->search->n;
    for (int64_t f = 0, j; f < d->f; f++) {
        uint64_t draw = hashed(start ^ d->searched[f].hash) >> 11;
        if (draw < above || (n == most && draw >= d->listed[n - 1].draw)) continue;
        n += n < most;
        for (j = n - 1; j > 0 && d->listed[j - 1].draw > draw; j--) d->listed[j] = d->listed[j - 1];
        d->listed[j] = (Drawn){draw, f};
    }
    d->n_listed = n;
    d->n_taken = 0;
}

int64_t ftree_next_feature(Draws *d)
{
    if (d->search->n >= d->f) return d->n_taken < d->f ? d->n_taken++ : -1;
    if (d->n_taken == d->n_listed) list_next(d);
    return d->n_taken < d->n_listed ? d->listed[d->n_taken++].feature : -1;
}

/* The largest float below a finite one. */
static double below(double x)
{
    union {
        double number;
        int64_t bits;
    } u = {x};
    if (x == 0) return -0x1p-1074;
    u.bits += x > 0 ? -1 : 1;
    return u.number;
}

double ftree_drawn_cut(const SearchedFeature *feature, uint64_t key, double least, double most)
{
    double share = (double)(hashed(hashed(feature->stream ^ key) ^ feature->hash) >> 11) * 0x1p-53;
    double cut = least * (1 - share) + most * share;
    return cut < most ? cut : below(most); /* rounding may reach `most`, but not fall below `least` */
}
