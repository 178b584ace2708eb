/* A decision tree. A row is an array of doubles, one for each of illness_features; NAN is missing.
   illness_code(feature, text) is the number of a text; that of a missing one is NAN, that of an unseen one -1. */

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const illness_classes[] = {
    "no",
    "yes",
    "perhaps",
    "a class with a long name indeed",
    "\345\205\253",
    0,
};

const char *const illness_features[] = {
    "age",
    "a feature with a name of more than thirty letters",
    "size",
    "height",
    "smokes",
    0,
};

static const struct { int feature; const char *text; double code; } illness_values[] = {
    {1, "grey & <blue>", 0},
    {1, "a value that is longer than any box of a picture", 1},
    {1, "a \042third\042", 2},
    {2, "S", 0},
    {2, "M", 1},
    {2, "L", 2},
    {4, "False", 0},
    {4, "True", 1},
    {0},
};

static const int illness_codes[] = {
    0,
    2,
    1,
    0,
    1,
    0,
    2,
    0,
    2,
    0,
    1,
    2,
    0,
};

static const struct { int feature; double weight; } illness_terms[] = {
    {0, 0.5},
    {3, -2.0},
    {0},
};

static const struct { int kind, feature; double at; int first, end, passes, fails; } illness_tests[] = {
    {0, 0, 40.5, 0, 0, 1, 6},
    {1, 2, 0.0, 0, 2, 2, 5},
    {1, 4, 0.0, 2, 3, -1, 3},
    {1, 4, 0.0, 3, 4, -2, 4},
    {2, 4, 0.0, 4, 4, -2, -3},
    {1, 2, 0.0, 4, 5, -4, -5},
    {2, 0, 0.0, 5, 5, 7, 15},
    {0, 3, 1.75, 5, 5, 8, 13},
    {0, 0, 40.5, 5, 5, 1, 9},
    {2, 0, 0.0, 5, 5, 10, -6},
    {0, 3, 1.75, 5, 5, 1, 11},
    {2, 3, 0.0, 5, 5, 12, -6},
    {1, 2, 0.0, 5, 7, -6, 1},
    {2, 3, 0.0, 7, 7, 14, 15},
    {1, 2, 0.0, 7, 9, 15, 8},
    {3, 0, 3.25, 0, 2, 16, 22},
    {0, 0, 10.5, 9, 9, 17, 21},
    {0, 0, 20.0, 9, 9, 18, 20},
    {0, 0, 65.0, 9, 9, -7, 19},
    {0, 0, 20.0, 9, 9, -8, -9},
    {0, 0, 10.5, 9, 9, -11, -9},
    {2, 0, 0.0, 9, 9, -9, -10},
    {2, 0, 0.0, 9, 9, -12, 27},
    {1, 1, 0.0, 9, 10, -13, 24},
    {1, 1, 0.0, 10, 11, 25, 26},
    {2, 3, 0.0, 11, 11, -14, -15},
    {1, 1, 0.0, 11, 12, -16, -17},
    {2, 3, 0.0, 12, 12, -12, 23},
    {0},
};

static const struct { int target; double share; } illness_routes[] = {
    {-1, 0.3333333333333333},
    {-2, 0.6666666666666666},
    {2, 0.08823529411764706},
    {-4, 0.9117647058823529},
    {-10, 0.4307692307692308},
    {-8, 0.3230769230769231},
    {-7, 0.24615384615384617},
    {23, 0.3434343434343434},
    {16, 0.6565656565656566},
    {-13, 0.5882352941176471},
    {25, 0.4117647058823529},
    {0},
};

static const struct { int inherited; double stays; int first, end; } illness_ends[] = {
    {0, 1.0, 0, 0},
    {0, 1.0, 0, 0},
    {0, 0.0, 0, 2},
    {0, 1.0, 2, 2},
    {0, 0.0, 2, 4},
    {0, 1.0, 4, 4},
    {0, 1.0, 4, 4},
    {0, 1.0, 4, 4},
    {0, 0.0, 4, 7},
    {0, 1.0, 7, 7},
    {0, 1.0, 7, 7},
    {0, 0.0, 7, 9},
    {0, 1.0, 9, 9},
    {0, 1.0, 9, 9},
    {0, 1.0, 9, 9},
    {0, 1.0, 9, 9},
    {0, 0.0, 9, 11},
    {0},
};

static const double illness_counts_of_ends[] = {
    1.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.5, 0.0, 0.0, 0.5,
    0.3333333333333333, 0.3333333333333333, 0.0, 0.0, 0.3333333333333333,
    0.03225806451612903, 0.0, 0.967741935483871, 0.0, 0.0,
    0.058823529411764705, 0.029411764705882353, 0.8823529411764706, 0.0, 0.029411764705882353,
    0.11914893617021277, 0.16170212765957448, 0.5659574468085107, 0.01702127659574468, 0.13617021276595745,
    0.0, 0.0, 0.0, 0.0, 1.0,
    0.0, 0.0, 0.42857142857142855, 0.0, 0.5714285714285714,
    0.06153846153846154, 0.36923076923076925, 0.13846153846153847, 0.0, 0.4307692307692308,
    0.14285714285714285, 0.8571428571428571, 0.0, 0.0, 0.0,
    0.06153846153846154, 0.36923076923076925, 0.13846153846153847, 0.0, 0.4307692307692308,
    0.20202020202020202, 0.3434343434343434, 0.13131313131313133, 0.04040404040404041, 0.2828282828282828,
    0.8, 0.0, 0.2, 0.0, 0.0,
    0.0, 0.0, 0.0, 1.0, 0.0,
    0.0, 1.0, 0.0, 0.0, 0.0,
    0.47058823529411764, 0.29411764705882354, 0.11764705882352941, 0.11764705882352941, 0.0,
    0.47058823529411764, 0.29411764705882354, 0.11764705882352941, 0.11764705882352941, 0.0,
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
    struct { int target; double part; } parts[4] = {{0, 1}};
    double inherited[5] = {0};
    int n = 1, owned = 0, i;
    for (i = 0; i < 5; i++)
        counts[i] = 0;
    while (n--) {
        int target = parts[n].target;
        const double part = parts[n].part;
        while (target >= 0)
            target = illness_passes(target, row) ? illness_tests[target].passes : illness_tests[target].fails;
        target = ~target;
        for (i = 0; i < 5; i++) {
            const double count = part * illness_ends[target].stays * illness_counts_of_ends[target * 5 + i];
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
    for (i = 0; i < 5 && !owned; i++)
        counts[i] = inherited[i];
}

/* The number of the class that a row is labelled with; illness_classes[number] is its name. */
int illness(const double *row)
{
    double counts[5], most = 0;
    int i;
    illness_counts(row, counts);
    for (i = 0; i < 5; i++)
        if (counts[i] > most)
            most = counts[i];
    for (i = 0; counts[i] < most * 0.999999999999; i++)
        ;
    return i;
}
