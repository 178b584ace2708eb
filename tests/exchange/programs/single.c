/* A decision tree. A row is an array of doubles, one for each of illness_features; NAN is missing.
   illness_code(feature, text) is the number of a text; that of a missing one is NAN, that of an unseen one -1. */

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const illness_classes[] = {
    "no",
    "yes",
    0,
};

const char *const illness_features[] = {
    "age",
    0,
};

static const struct { int feature; const char *text; double code; } illness_values[] = {
    {0},
};

static const int illness_codes[] = {
    0,
};

static const struct { int feature; double weight; } illness_terms[] = {
    {0},
};

static const struct { int kind, feature; double at; int first, end, passes, fails; } illness_tests[] = {
    {0},
};

static const struct { int target; double share; } illness_routes[] = {
    {0},
};

static const struct { int inherited; double stays; int first, end; } illness_ends[] = {
    {0, 1.0, 0, 0},
    {0},
};

static const double illness_counts_of_ends[] = {
    0.0, 0.0,
    0,
};

/* The number that stands for a feature's value, given as UTF-8; NULL is missing. */
double illness_code(int feature, const char *text)
{
    size_t i;
    for (i = 0; i + 1 < sizeof illness_values / sizeof *illness_values; i++) {
        const char *known = illness_values[i].text;
        if (illness_values[i].feature == feature && (known && text ? !strcmp(known, text) : known == text))
            return illness_values[i].code;
    }
    return text ? -1 : NAN;
}

static int illness_passes(int test, const double *row)
{
    const double value = row[illness_tests[test].feature], at = illness_tests[test].at;
    const int first = illness_tests[test].first, end = illness_tests[test].end;
    double sum = 0;
    int i;
    switch (illness_tests[test].kind) {
    case 0:
        return value > at;
    case 1:
        for (i = first; i < end; i++)
            if (value == illness_codes[i])
                return 1;
        return 0;
    case 2:
        return value != value;
    }
    for (i = first; i < end; i++) {
        volatile double term = illness_terms[i].weight * row[illness_terms[i].feature]; /* rounded before it is added */
        sum += term;
    }
    return sum > at;
}

/* The class counts that answer a row. */
void illness_counts(const double *row, double *counts)
{
    struct { int target; double part; } parts[1] = {{-1, 1}};
    double inherited[2] = {0};
    int n = 1, owned = 0, i;
    for (i = 0; i < 2; i++)
        counts[i] = 0;
    while (n--) {
        int target = parts[n].target;
        const double part = parts[n].part;
        while (target >= 0)
            target = illness_passes(target, row) ? illness_tests[target].passes : illness_tests[target].fails;
        target = ~target;
        for (i = 0; i < 2; i++) {
            const double count = part * illness_ends[target].stays * illness_counts_of_ends[target * 2 + i];
            if (!illness_ends[target].inherited) {
                counts[i] += count;
                owned |= count != 0;
            } else if (inherited[i] < count)
                inherited[i] = count;
        }
        for (i = illness_ends[target].first; i < illness_ends[target].end; i++, n++) {
            parts[n].target = illness_routes[i].target;
            parts[n].part = part * illness_routes[i].share;
        }
    }
    for (i = 0; i < 2 && !owned; i++)
        counts[i] = inherited[i];
}

/* The number of the class that a row is labelled with; illness_classes[number] is its name. */
int illness(const double *row)
{
    double counts[2], most = 0;
    int i;
    illness_counts(row, counts);
    for (i = 0; i < 2; i++)
        if (counts[i] > most)
            most = counts[i];
    for (i = 0; counts[i] < most * 0.999999999999; i++)
        ;
    return i;
}
