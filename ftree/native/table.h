/* Growth on tables of any kinds: what table.c and the files that it calls share. docs/explanation/native.md has the
   order of their calls.

   Read in this order: table.c grows nodes. For each feature of a node, table_values.c lists the values present, an
   entry each (a run), and runs.c finds the best split of the run, with cuts.c and orders.c. table_choice.c chooses
   one, table_rules.c may refuse it, and surrogates.c and table_parts.c send rows to the children. */
#ifndef FTREE_TABLE_H
#define FTREE_TABLE_H
#include "native.h"

/* The kinds of splits of a feature, as `ftree.growth.split_arrays` numbers them. One value against the others becomes a
   subset in the tree. */
enum { NO_SPLIT, THRESHOLD, MULTIWAY, SUBSET, ONE_VALUE };
/* More impurities: an address, and those of sums: that of numbers, and that of events. */
enum { OWN = MISCLASSIFICATION + 1, VARIANCE, POISSON };
/* The sums of a node, after its cases: those of numbers, and those of events. */
enum { TOTAL, SQUARES };
enum { HAPPENED, EXPOSED, DEVIANCE };

/* What measures splits. */
typedef struct {
    const double *factors;     /* (k,): they multiply class counts; NULL for none */
    const double *entropies;   /* n log2 n of whole numbers up to `most` */
    const double (*lines)[3];  /* start, step and divisor of each sum (`ftree.tree.response.numbers.line`) */
    double slack;              /* of a choice by gain ratio; NaN where the score decides */
    double scale;              /* of sums: it multiplies gains */
    double rate;               /* of events: the rate at the root, or 1 */
    double rounding;           /* of events: the bound on the rounding error of the deviance of a case */
    double prior;              /* of events: how many, at that rate, shrink the rates that nodes answer */
    double guard;              /* of sums: the bound on the rounding error of gains at the present node; 0 of numbers */
    int64_t impurity, k, most; /* k: the classes; 1 of sums, whose only count is the cases */
    OwnImpurity own;           /* the user's, if the impurity is OWN */
    bool by_ratio;             /* whether gains are divided by the information of splits */
} Measure;

/* How a feature is stored and searched. */
typedef struct {
    double least, share, most; /* a child has at least `least` cases, and the smaller of `most` and `share` of the mean class */
    int64_t values_at;         /* the first of its numbers in `values`, which are by code, or by row if it has a lane */
    int32_t split_kind;        /* NO_SPLIT if it is not searched */
    int32_t place;             /* from 0 up its column of `codes`; from -1 down its line of `keys`, which is -place */
    int32_t n_codes;           /* the code n_codes is a missing value */
    int32_t nominal;           /* whether it is nominal */
    int32_t mdl;               /* whether the bits that tell a cut reduce its score */
    int32_t declared;          /* of a multiway split: the number of children, 0 for one for each value present */
    int32_t exact;             /* of a subset: up to so many values are divided in every possible way */
    int32_t many;              /* whether it has so many values that it does not count in the mean of gains */
    int32_t has_surrogates;    /* whether its splits get surrogates */
} Column;

/* Most sums of an entry of a run. */
#define MOST_SUMS 2

/* The values of a feature that are present in a node, rising: an entry each. */
typedef struct {
    int32_t *values;        /* (n,): the code of each value; in a lane, the first key with it, counted from that of the node */
    int32_t *order, *spare; /* room (n,): an order of entries */
    double *counts, *sizes; /* (n, k): class counts, of sums the cases; (n,): cases */
    double *share;          /* room (n,): by what entries are ordered */
    double *scores;         /* room (n,) or more: of all cuts or divisions */
    double *left, *right;   /* room (k,): the counts of two sides */
    int64_t *sums;          /* (n, n_sums): of numbers their sum, less `centre` a case; of events theirs and that of exposure */
    int64_t n, k, n_sums;
    int64_t centre; /* of numbers: a whole number; see SearchedNode */
} Run;

/* The best split of a feature. */
typedef struct {
    double score;       /* times the share of known cases; NOTHING for none, NaN for an impurity that is not finite */
    double guard;       /* the bound on the rounding error of the score */
    double information; /* of the split, for gain ratio */
    int64_t cut;        /* of a threshold or a subset in an order: the entries on the first side, which come first */
    int64_t order;      /* the order of entries, by the kind of split:
                           threshold: 0;
                           subset in an order: the class by whose share they are ordered, or ~class where the last ones are put first;
                           subset of all divisions: a bit for each entry, set on the second side;
                           one value: the entry that is apart */
    int32_t unsure;     /* whether rounding could decide for another one */
} Scored;

/* How large a table is, as memory for its nodes needs to know. */
typedef struct {
    int64_t rows, features, classes, sums; /* classes: 1 of sums; sums: of a run, 0 of classes */
    int64_t widest;                        /* the most children of a split */
    int64_t most_values, most_scores;      /* of a feature at a node: its values, plus one; its cuts or divisions */
    int64_t cells;                         /* where codes are tallied */
    int64_t divides;                       /* whether rows are divided */
} TableSizes;

/* The measure, and what happens to rows without an answer, as the caller has them: see Measure and Table. */
typedef struct {
    double slack, scale, lines[3][3], rate, rounding, prior, least_agreeing, grid;
    int64_t impurity, by_ratio, most_surrogates;
    uint64_t own;
} Criterion;

/* A surrogate of a split. */
typedef struct {
    double agreement, adjusted;
    double at;          /* a threshold, of an ordered feature */
    uint64_t low, high; /* of a nominal one: the codes that go to the left and to the right child, as bits */
    int32_t feature, reversed;
} StandIn;

/* A node of the tree. */
typedef struct {
    int64_t listed, stand_ins; /* its first code in `listed`, and its first surrogate in `stand_ins` */
    int32_t feature;           /* -1 of a leaf */
    int32_t kind;              /* of its split: THRESHOLD, MULTIWAY or SUBSET */
    int32_t first, arity;      /* the number of its first child, and how many it has */
    int32_t below, above;      /* what is next to a threshold: two codes; in a lane two rows, or, before `name_rows`, two keys */
    int32_t n_listed;          /* codes: of a subset those of the first child, of a multiway split one for each child */
    int32_t n_stand_ins, default_child; /* default_child: that of rows without an answer; -1 without surrogates */
    int32_t zero;                       /* so that no bytes are left that compilers fill as they like */
} TableNode;

/* A part of a row without an answer, for one child. The copies of a row are next to each other. */
typedef struct {
    double share;
    int32_t row, child;
} Copy;

/* The other numbers of `state`: listed codes and surrogates so far; and, if room is lacking, for how many keys of a line,
   nodes, listed codes, surrogates and copies it is needed. */
enum { N_LISTED = IS_DECIDED + 1, N_STAND_INS, NEEDED_KEYS, NEEDED_NODES, NEEDED_LISTED, NEEDED_STAND_INS, NEEDED_COPIES };

/* What grows: it stays from call to call, with room for as many entries as the last line says. The keys and fractions
   of an open node are those from its `low` to its `high`; line 0 of keys has rows. */
typedef struct {
    int64_t *state; /* see N_NODES */
    Open *open;
    TableNode *nodes;
    double *counts; /* (m, q): of nodes */
    int32_t *listed;
    StandIn *stand_ins;
    int32_t *keys;     /* (l, width) */
    double *fractions; /* (width,): of each row, what the node has of it; NULL where no row is divided */
    int64_t width, most_nodes, most_listed, most_stand_ins;
} TableGrowth;

/* Memory for the present node: what it holds is worth nothing once the node is divided. */
typedef struct {
    int32_t *keys;        /* (width,): of children */
    double *fractions;    /* (width,): of children */
    int32_t *child;       /* (n,): the child of a row; below 0 without an answer: see ftree_divide_rows */
    double *products;     /* (n,): the `times` and the fraction of a row multiplied, where rows are divided */
    const double *weight; /* (n,): what rows weigh: these products, or `times`; NULL if all weigh 1 */
    double *tally;        /* cells: weights by feature, code and class */
    int64_t *sums;        /* (cells, run.n_sums) */
    int64_t *route;       /* (widest + 1,): the child of each code */
    int64_t *starts;      /* (widest + 1,): the first key of each child, counted from that of the node, and the end of the last */
    int64_t *cursor;      /* (widest + 1,): the next key of each child while a line is parted; -1 if it is closed */
    int64_t *latest;      /* (widest + 1,): the last value that a child got */
    Copy *copies;
    int64_t most_copies;
    Scored *found; /* (f,): the best split of each feature */
    Drawn *drawn;  /* (f,) */
    Run run;
} TableRoom;

/* The table, which stays as it is but for the guard of its measure; what grows; and room. */
typedef struct {
    const GrowthRules *rules;
    const Column *columns;           /* (f,) */
    const Search *search;            /* how many features a node looks at */
    const SearchedFeature *searched; /* (f,) */
    const uint16_t *codes;           /* (n, c) */
    const int32_t *labels;           /* (n,): classes */
    const double *times;             /* (n,): how often a row counts; NULL if all are 1 */
    const double *channels;          /* (n, q): what rows add to the sums of a node; NULL for classes */
    const int64_t *limbs;            /* (4,), of numbers (3,): the places of the limbs of their sums */
    const double *values;            /* of all features: see Column.values_at */
    const int64_t *whole;            /* (n, run.n_sums): what rows add to the sums of a run */
    const int64_t *begin;            /* (f + 1,): the first cell of each feature in `tally` */
    int64_t f, c, l, q;              /* features, those of codes, lines of keys, counts of a node */
    int64_t widest;                  /* the most children of a split */
    int64_t most_surrogates;         /* of a split */
    double least_agreeing;           /* the least cases on each side of a surrogate */
    double grid;                     /* the unit of fractions; 0 sends rows without an answer to the heaviest child */
    Measure measure;
    TableGrowth grown;
    TableRoom room;
} Table;

/* A node while it is searched. */
typedef struct {
    int64_t low, high; /* its range of keys */
    int64_t depth, number;
    int64_t centre;       /* of numbers: the whole number below their mean, from which runs count them */
    const double *counts; /* (q,) */
    double cases;
    uint64_t key; /* for its random numbers */
} SearchedNode;

/* Whether nodes have sums in place of class counts. */
INLINE bool is_of_sums(const Measure *m) { return m->impurity >= VARIANCE; }

/* A sum in its own unit. */
INLINE double in_unit(const double *line, double sum) { return line[1] * sum / line[2]; }

/* The events for each unit of exposure, given both sums, as `events.order` rounds them. */
INLINE double rate_of(const Measure *m, double happened, double exposed)
{
    exposed = in_unit(m->lines[EXPOSED], exposed);
    return in_unit(m->lines[HAPPENED], happened) / (exposed > 0 ? exposed : 1);
}

INLINE double n_log_n(const Measure *m, double x)
{
    if (x <= 0) return 0;
    int64_t whole = x <= (double)m->most ? (int64_t)x : -1;
    return (double)whole == x ? m->entropies[whole] : x * log_2(x);
}

/* Whether a number is below a limit, although it may be rounded by as much as `guard`; if that could decide, it is not, and
   the choice is unsure. */
INLINE bool is_below(double x, double limit, double guard, bool *unsure)
{
    const bool is_sure = x + guard < limit;
    *unsure |= !is_sure && x - guard < limit;
    return is_sure;
}

/* The best split of a feature by the values present, given the counts (k,) of all rows of the node; runs.c. */
Scored ftree_best_of_run(const Measure *measure, const Column *column, Run *run, const double *total);

/* Put the entries of a run in the order of its split, whose first side comes first, and return how many are on that
   side; orders.c. */
int64_t ftree_order_run(const Measure *measure, const Column *column, Run *run, const Scored *split);

/* What a split gains, given the counts (arity, k) of its children and those of the node (k,). `scale`, which is set
   before, is raised to that of the rounding error; `room` (k,); runs.c. */
double ftree_gain_of(const Measure *measure, const double *children, int64_t arity, const double *counts, double *room,
                     double *scale);

/* Find the surrogates of a split in two, send rows without an answer where these say, and add them to the counts (2, q)
   of the children; surrogates.c. */
void ftree_find_surrogates(const Table *table, const SearchedNode *node, TableNode *split, double *counts);

/* Count all features of codes, row by row, so that no addition waits for the one before it; table_values.c. */
void ftree_tally_codes(const Table *t, const SearchedNode *node);

/* The run of a feature in a node; `tallied` says whether its codes are counted; table_values.c. */
Run ftree_run_of(const Table *t, const SearchedNode *node, int64_t f, bool tallied);

/* The first feature that ties with the best one, by score or by gain ratio, -1 for none; table_choice.c. */
int64_t ftree_choose_feature(const Table *t, bool *unsure);

/* Whether a rule that looks at a node alone closes it; `unsure` is set if rounding could decide that. A node whose
   numbers are all equal is not closed here; table_rules.c. */
bool ftree_is_closed(const Table *t, const double *counts, int64_t depth, bool *unsure);

/* Whether a split leaves too few cases in a child, or gains too little, given the counts (arity, q) of children; `unsure` if
   rounding could decide it; table_rules.c. */
bool ftree_is_refused(const Table *t, const SearchedNode *node, const TableNode *split, const double *children, bool *unsure);

/* The risk of sums as a share of the root's mean risk of a case, and a bound on its rounding error, which is also that of
   decreases by splits of events: where rounding makes the risk of a child negative, NumPy takes 0, and so a
   smaller decrease; table_rules.c. */
double ftree_risk_of(const Table *t, const double *counts, double *guard);

/* Send rows without a child to the heaviest one; table_parts.c. */
void ftree_send_to_heaviest(const Table *t, const SearchedNode *node, int64_t arity, double *counts);

/* Divide rows without a child among all children, as `ftree.routing.missing_rules.divide_weights` does. Return the
   number of copies, of which only as many are noted as have room. The `child` of such a row becomes -1 less the number
   of its first copy; table_parts.c. */
int64_t ftree_divide_rows(const Table *t, const SearchedNode *node, int64_t arity, double *counts);

/* Lay out the keys of the children that stay open, in `starts` (arity + 1,), and return how many keys they have;
   table_parts.c. */
int64_t ftree_lay_out(const Table *t, const SearchedNode *node, int64_t arity, const double *counts, int64_t n_copies);

/* Part all lines of a node, whose children are laid out and have `total` keys a line; table_parts.c. */
void ftree_part_lines(const Table *t, const SearchedNode *node, int64_t arity, int64_t total, int64_t n_copies);

INLINE double weight_of(const Table *t, int64_t row) { return t->room.weight ? t->room.weight[row] : 1; }
INLINE int32_t code_of(const Table *t, int64_t row, int64_t place) { return t->codes[row * t->c + place]; }

/* The keys of a node in the lane of a feature, whose place is below 0. */
INLINE const int32_t *lane_of(const Table *t, const SearchedNode *node, const Column *column)
{
    return t->grown.keys - (int64_t)column->place * t->grown.width + node->low;
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

/* The cases in counts (q,) of a node: of sums the first, of classes all. */
INLINE double cases_of(const Table *t, const double *counts)
{
    double cases = counts[0];
    for (int64_t c = 1; c < t->q && !t->channels; c++) cases += counts[c];
    return cases;
}

/* Whether a child that is laid out is open. */
INLINE bool is_open(const Table *t, int64_t child) { return t->room.starts[child + 1] > t->room.starts[child]; }
#endif
