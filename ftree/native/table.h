/* Growth on tables of any kinds: what runs.c, surrogates.c and table.c share. Rows of a table are called rows; those of a run
   have a value each. */
#ifndef FTREE_TABLE_H
#define FTREE_TABLE_H
#include "native.h"

/* The ways in which a feature divides a node, as `ftree.growth.records` numbers them. One value against the others is a subset. */
enum { NO_WAY, THRESHOLD, MULTIWAY, SUBSET, ONE_VALUE };
/* More impurities: an address, and those of sums: that of numbers, and that of events. */
enum { OWN = MISCLASSIFICATION + 1, VARIANCE, POISSON };

/* What measures splits. `factors` (k,) multiply class counts, NULL for none. `table` has n log2 n of whole numbers up to `most`.
   `by_ratio` divides gains by the information of splits; `slack` is that of a choice by gain ratio, NaN where the score decides.
   Of sums, k is 1: the cases; gains are multiplied by `scale`, and right within `guard` at the present node, which is 0 for
   numbers. `lines` have the start, step and divisor of each sum (`ftree.tree.response.numbers.line`), `rate` is that of events at
   the root, or 1, `rounding` what their deviance may lack of a case, and `prior` the events at that rate that shrink the rates
   that nodes answer. */
typedef struct {
    const double *factors, *table, (*lines)[3];
    double slack, scale, rate, rounding, prior, guard;
    int64_t impurity, k, most;
    OwnImpurity own;
    bool by_ratio;
} Measure;

/* How a feature is searched. `place` is its column of codes or, from -1 downwards, its lane of keys; the code `n_codes` is a
   missing value. A child has at least `least` cases, and at least the smaller of `share` of the mean class and `most`. `mdl`
   reduces the scores of cuts; a multiway split has a child for each of `declared` values, if that is not 0; up to `exact` values
   are divided in every way; a feature with `many` values does not count in the mean of gains; the splits of `backed` features get
   surrogates. Its numbers are `values` from `values_at` on, by code or by row. */
typedef struct {
    double least, share, most;
    int64_t values_at;
    int32_t way, place, n_codes, nominal, mdl, declared, exact, many, backed;
} Column;

/* Most sums of a row of a run. */
#define MOST_SUMS 2

/* The values present in a node, a row each, rising: their codes (n,), class counts (n, k), cases (n,), and whole sums (n, n_sums),
   of numbers one, which counts from the whole number `centre`, and of events theirs and that of exposure. The rest is room: an
   `order` of rows and `spare` (n,), `share` and `scores` (n,) or for all divisions, counts of two sides (k,). */
typedef struct {
    int32_t *values, *order, *spare;
    double *counts, *sizes, *share, *scores, *left, *right;
    int64_t *sums;
    int64_t n, k, n_sums, centre;
} Run;

/* The best split of a feature: its score times the known share, NOTHING for none, NAN for an impurity that is not finite; for gain
   ratio its information; `cut`, the rows of the run on the first side, which come first in its order; whether rounding could
   decide it. `order` is 0 for a threshold; the class by whose share rows are ordered, or ~class where the last ones are put first;
   the bits of a division, set for rows on the second side; or the one row apart. */
typedef struct {
    double score, information;
    int64_t cut, order;
    int32_t unsure;
} Scored;

/* The measure and the rows without an answer as the caller has them: see Measure and Table. */
typedef struct {
    double slack, scale, lines[3][3], rate, rounding, prior, least, grid;
    int64_t impurity, by_ratio, at_most;
    uint64_t own;
} Criterion;

/* A surrogate: its agreement, the threshold of numbers, or the codes that go to either child as bits; whether it is reversed. */
typedef struct {
    double agreement, adjusted, at;
    uint64_t low, high;
    int32_t feature, reversed;
} StandIn;

/* A node: its split, -1 for a leaf; its first child; the values next to its threshold, as codes or rows; the codes that it lists
   and its surrogates, from where on and how many; the child of rows without an answer, -1 for none. */
typedef struct {
    int64_t listed, stand_ins;
    int32_t feature, kind, first, arity, below, above, n_listed, n_stand_ins, default_child;
} TableNode;

/* A part of a row without an answer, for one child. */
typedef struct {
    double share;
    int32_t row, child;
} Copy;

/* The numbers of `state`: nodes, open nodes, listed codes, surrogates so far; whether the last open node has its split already; and
   how many keys of a line, nodes, listed codes, surrogates and copies must have room. */
enum { N_NODES, N_OPEN, N_LISTED, N_STAND_INS, IS_GIVEN, KEYS, NODES, LISTED, STAND_INS, COPIES };

/* The table, what grows, and room, as `ftree_grow_table` gets them: f features, c of codes, l lines of `width` keys, q counts of a
   node. A row counts `times`; a node has a fraction of it, and `weight` is the product. A split has at most `widest` children, and
   `at_most` surrogates with at least `least` cases a side. `grid` is the unit of fractions; 0 sends rows to the heaviest child.
   `begin` (f + 1,) has the first cell of each feature in `tally`. The last numbers are how many there is room for. */
typedef struct {
    const GrowthRules *rules;
    const Column *columns;
    const Search *search;                    /* how many features a node looks at */
    const SearchedFeature *searched;         /* (f,) */
    Drawn *drawn;                            /* (f,) */
    const uint16_t *codes;                   /* (n, c) */
    const int32_t *labels;                   /* (n,): classes */
    const double *times, *channels, *values; /* (n,), NULL if all are 1; (n, q), NULL for classes */
    const int64_t *whole, *begin;            /* (n, run.n_sums): what rows add to sums; (f + 1,) */
    int64_t f, c, l, width, q, at_most, widest;
    double least, grid;
    Measure measure;
    int64_t *state;
    Open *open;
    TableNode *nodes;
    double *counts, *fractions;
    int32_t *listed, *keys, *room, *child;
    StandIn *stand_ins;
    double *weight, *spare, *tally;
    int64_t *sums, *route;               /* route: the child of each code */
    int64_t *starts, *cursor, *latest;   /* of each child: its first key and the next one of a line, -1 if it is closed; the last value */
    Copy *copies;
    Scored *found;
    Run run;
    int64_t most_nodes, most_listed, most_stand_ins, most_copies;
} Table;

/* A node as it is searched: its range of lines, its counts (q,), its cases, the centre of its numbers, and its key for draws. */
typedef struct {
    int64_t low, high, depth, number, centre;
    const double *counts;
    double cases;
    uint64_t key;
} Node;

/* Whether nodes have sums in place of class counts. */
INLINE bool is_of_sums(const Measure *m) { return m->impurity >= VARIANCE; }

/* A sum in its own unit. */
INLINE double in_unit(const double *line, double sum) { return line[1] * sum / line[2]; }

/* The events for each unit of exposure, given both sums, as `events.order` rounds them. */
INLINE double rate_of(const Measure *m, double happened, double exposed)
{
    exposed = in_unit(m->lines[1], exposed);
    return in_unit(m->lines[0], happened) / (exposed > 0 ? exposed : 1);
}

INLINE double n_log_n(const Measure *m, double x)
{
    if (x <= 0) return 0;
    int64_t whole = x <= (double)m->most ? (int64_t)x : -1;
    return (double)whole == x ? m->table[whole] : x * log_2(x);
}

/* The best split of a feature by the values present, given the class counts (k,) of all rows of the node; runs.c. */
Scored ftree_best_of_run(const Measure *measure, const Column *column, Run *run, const double *total);

/* Put the rows of a run in the order of its split, whose first side comes first; the number of rows on that side; orders.c. */
int64_t ftree_order_run(const Measure *measure, const Column *column, Run *run, const Scored *split);

/* The bound on the rounding error of scores, where all cases are n times the fewest of a value; runs.c. */
double ftree_guard_of(const Measure *measure, double n, double best);

/* What a split gains, given the counts (arity, k) of its children and those of the node (k,); and the scale of its rounding error.
   `room` (k,); runs.c. */
double ftree_gain_of(const Measure *measure, const double *children, int64_t arity, const double *whole, double *room, double *scale);

/* The whole number below the mean of numbers with a sum, as the search in NumPy has it; runs.c. */
int64_t ftree_centre_of(int64_t sum, double cases);

/* Find the surrogates of a split in two, and send rows without an answer to the children that these say, whose counts (2, q) get
   them; surrogates.c. */
void ftree_find_surrogates(const Table *table, const Node *node, TableNode *split, double *counts);

/* Count all features of codes, row by row, so that no addition waits for the one before it; table_values.c. */
void ftree_tally_codes(const Table *t, const Node *node);

/* The run of a feature in a node; `tallied` says whether its codes are counted; table_values.c. */
Run ftree_run_of(const Table *t, const Node *node, int64_t f, bool tallied);

/* Whether a rule that looks at a node alone closes it, or else rounding could decide that; numbers that are all equal are seen
   later; table.c. */
bool ftree_is_closed(const Table *t, const double *counts, int64_t depth, bool *unsure);

/* Send rows without a child to the heaviest one; table_parts.c. */
void ftree_send_to_heaviest(const Table *t, const Node *node, int64_t arity, double *counts);

/* Divide rows without a child among all children, as `ftree.routing.missing_rules.divide_weights` does; the number of copies, of
   which only as many are noted as have room. A row's `child` becomes -1 less the number of its first copy; table_parts.c. */
int64_t ftree_divide_rows(const Table *t, const Node *node, int64_t arity, double *counts);

/* Lay out the keys of the children that are open, from 0 on, in `starts` (arity + 1,); the number of all; table_parts.c. */
int64_t ftree_lay_out(const Table *t, const Node *node, int64_t arity, const double *counts, int64_t n_copies);

/* Part all lines of a node, whose children are laid out; table_parts.c. */
void ftree_part_lines(const Table *t, const Node *node, int64_t arity, int64_t total, int64_t n_copies);

INLINE double weight_of(const Table *t, int64_t row) { return t->weight ? t->weight[row] : 1; }
INLINE int32_t code_of(const Table *t, int64_t row, int64_t place) { return t->codes[row * t->c + place]; }

/* The keys of a node in the lane of a feature, whose place is below 0. */
INLINE const int32_t *lane_of(const Table *t, const Node *node, const Column *column)
{
    return t->keys - (int64_t)column->place * t->width + node->low;
}

/* Add a row, or a part of it, to the counts (q,) of a node. */
INLINE void count_row(const Table *t, double *counts, int64_t row, double weight)
{
    if (!t->channels) {
        counts[t->labels[row]] += weight;
        return;
    }
    for (int64_t c = 0; c < t->q; c++) counts[c] += t->channels[row * t->q + c] * weight;
}

/* The cases in counts (q,) of a node. */
INLINE double cases_of(const Table *t, const double *counts)
{
    double cases = counts[0];
    for (int64_t c = 1; c < t->q && !t->channels; c++) cases += counts[c];
    return cases;
}

/* Whether a child that is laid out is open. */
INLINE bool is_open(const Table *t, int64_t child) { return t->starts[child + 1] > t->starts[child]; }
#endif
