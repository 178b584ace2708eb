/* The native library: loops over arrays that Python made and checked. It has no state, no allocation and no Python
   headers.

   Python calls each by `ftree.native.call`, whose table of signatures names the same arguments. The lengths that C needs
   are int64_t and come last, in the order in which the signature first names them. The comment of a function says what
   its result is. A range from `first` to `last`, or from `low` to `high`, does not include its end. What a comment calls
   room is for the function to write in. docs/explanation/native.md shows which file calls which. */
#ifndef FTREE_NATIVE_H
#define FTREE_NATIVE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define FTREE_API __declspec(dllexport)
#else
#define FTREE_API __attribute__((visibility("default")))
#endif
/* A part of every caller, so that its constants are known where it is called. */
#define INLINE static inline __attribute__((always_inline))

#define INFINITY __builtin_inf()
/* The gain of no cut. Gains within TIE of each other are equal, as in the search in NumPy, so that the first of them is
   chosen. Sums are rounded otherwise than there, by less than GUARD: a comparison that so little could change is
   `unsure`, and left to NumPy. docs/explanation/rounding.md says why each bound holds. */
#define NOTHING (-INFINITY)
#define TIE 1e-9
#define GUARD 1e-12
/* A feature that is more than MOST_TIES ties below the best is never chosen, whichever of its tied cuts it contributes. */
#define MOST_TIES 3

/* The kinds of questions, as `ftree.tree.splits.split` numbers them. */
enum { LEAF = -1, ABOVE, CODE, BETWEEN, SUM };

/* A node as most rows pass it: `first + (x > at)` is the next one. `line` is twice the line of the cell x, plus 1 where
   x is a code. A leaf is its own first child, and compares with infinity. */
typedef struct {
    double at;
    uint32_t line, first;
} Step;

/* The question of a node or of a surrogate: `width` codes or numbers from `start` on; -1 for no surrogate and no
   default child. */
typedef struct {
    double at;
    int64_t start, width;
    int32_t kind, line, surrogate, default_child;
    int64_t reversed;
} Question;

/* How a node without an answer divides a row: its number of children, the child that takes the remainder (-1 for none),
   the node that answers for it, and its own share of its parent's rows. */
typedef struct {
    double share;
    int32_t arity, rest, answer;
} Division;

/* A part of a row at a node: its size, the row, and its child at the node that was divided last, -1 without an answer. */
typedef struct {
    double size;
    int64_t row, child;
} Part;

/* A node while its tree is pruned (raise.c), in four groups, each with the functions that write it. */
typedef struct {
    /* The node: `judge`, which cuts or keeps it; `raise`, which gives it a child's place; `take_cases`, which adds cases. */
    double errors;                /* of its cases */
    int64_t first, arity, parent; /* its children are `arity` nodes from number `first` on */
    int64_t source;               /* the node whose split it has */
    bool known;                   /* whether no case misses a value at it or below */
    bool incomplete;              /* whether one does at the node itself; at first by `ftree_count_parts` */
    bool touched;                 /* whether the node changed */
    /* Of cases that are sent into a raised child: whether one misses a value (`visit`), and whether they change counts
       (`take_cases`). */
    bool gaps, changed;
    /* Its parts, from `begin` up to `end`: `divide` of its parent, or `reach`. `begin` is -1 if they are not known: after
       `visit` and `judge`. */
    int64_t begin, end;
    /* While `divide` works on its parent: its cases, and the number of its parts. */
    double size;
    int64_t fill;
    /* The length of `parts` from which on a division of this node may write, when cases are sent into it or counted:
       `push_children`, `reach`. And the length before `divide_above` divided it for its own cases, -1 if it did not;
       `judge` goes back to it. */
    int64_t top, before;
} Raised;

/* The split of a node of a tree in growth, whose `feature` is -1 at an end: see `ftree.scan.routes.Routes`. `numeric`
   is the line of the feature in the numbers of a part. */
typedef struct {
    double at;
    int64_t feature, numeric, first, code, absent, table, open;
} Fork;

/* What a search for an optimal tree knows (sorted_trees.c); the caller reads it while the search runs. It is given the
   cost that a tree must stay below, and ends at more than `most_states`. */
typedef struct {
    double cost;   /* of the best tree so far */
    double bound;  /* on the costs of all trees */
    double states; /* the nodes that were searched */
    double most_states;
} TreesKnown;

/* What leaves cost: a kind of `depth_two.c`, the penalty of a leaf with a case, the least cases, and the step of costs. */
typedef struct {
    int64_t kind;
    double penalty, least, step;
} LeafTerms;

/* Cells of rows: of line l and row r at `l * by_line + r * by_row`; NaN where missing. */
typedef struct {
    const double *cells;
    int64_t by_line, by_row;
} Cells;

/* The tree as arrays; see Step and Question. */
typedef struct {
    const Step *steps;
    const Question *questions;
    const int32_t *table;
    const double *numbers;
    const int64_t *terms;
} Ways;

/* The impurities, as `ftree.criteria.impurity` numbers them. */
enum { ENTROPY, GINI, MISCLASSIFICATION };

/* The inner sum of classes with one more: of n log2 n for entropy, given that of the class; of squares for Gini; else the
   largest count. */
INLINE double with_class(int64_t impurity, double inner, double count, double n_log_n)
{
    if (impurity == ENTROPY) return inner + n_log_n;
    if (impurity == GINI) return inner + count * count;
    return count > inner ? count : inner;
}

/* An impurity times n cases, given n log2 n and the inner sum. */
INLINE double loss_from(int64_t impurity, double n, double n_log_n, double inner)
{
    if (impurity == ENTROPY) return n_log_n - inner;
    if (impurity == GINI) return n - inner / (n + (n <= 0)); /* 0 without a branch */
    return n - inner;
}

/* A user's impurity: from the class counts (k,) of a node, which it does not change, to a number. */
typedef double (*OwnImpurity)(const double *counts, int64_t k);

/* ---- Growth ----

   A node of a tree in growth has three forms: Open, while it waits; LaneNode (lanes.h) or SearchedNode (table.h),
   while it is searched; and GrownNode or TableNode, in the tree. The first two last until it is divided or left as a
   leaf.

   A sorted feature is a lane of keys, one a row. A key is 31 bits, from the highest down:
     the row   from bit `shift` on,
     new       the bit shift - 1: whether the value differs from that of the key before it in its node,
     class     the bits below, of classes in lanes (grow.c); or
     missing   the bit shift - 2, in tables of any kinds (table.c), which look classes up by row.
   Keys of numbers in lanes have no bit below that of new values: their shift is 1.

   An example with two classes, so that a shift of 2 leaves a bit for the class (tests/native/test_lanes.py):

     row     0  1  2  3
     value   5  3  3  8
     class   1  0  1  0

     row     1      2      0      3        in the order of the values
     key     0110   1001   0011   1110     the row; whether its value is new; its class
     side    1      0      0      0        if a split sends row 1 to the right,
     left           1011   0011   1110     row 2 is the first one with the value 3 on the left
     right   0110 */

/* When a node is closed, and what keys hold. */
typedef struct {
    double pure;      /* 1 if a pure node is closed, else 0 */
    double depth;     /* a node at this depth is closed */
    double rows;      /* the least cases of a node that is divided */
    double errors;    /* the least errors, or risk, of a node that is divided */
    double leaf;      /* the least cases of a child */
    double gain;      /* the least gain of a split */
    double unit;      /* in lanes: of classes the unit of weights, or of the table of entropy */
    int64_t shift;    /* the bits of a key below its row */
    int64_t impurity; /* of classes in lanes; 0 elsewhere */
} GrowthRules;

/* The first numbers of the `state` of a tree in growth: its nodes; those that are open; and whether the caller has decided
   the split of the last open node, and put it into that node (`GrowingPart` in ftree/growth/depth_first/growing_parts.py). */
enum { N_NODES, N_OPEN, IS_DECIDED };

/* What a call leaves to its caller: nothing; the choice of the node that was opened last; or to make more room, in
   table.c only. */
enum { GROWN, UNSURE, LACKS_ROOM };

/* A row while its column is sorted, and its value, scaled to a whole number from the least to the largest. */
typedef struct {
    uint32_t scaled, row;
} Item;

/* A cut of a lane: keys from `at` on go right. */
typedef struct {
    double gain;
    int64_t at;       /* the first key that goes right, counted from the first of the node; 0 of drawn cuts */
    int32_t feature;  /* -1 without a cut */
    int32_t unsure;   /* whether rounding could decide for another one */
    double threshold; /* of drawn cuts only */
} Cut;

/* A node that waits to be searched. */
typedef struct {
    int64_t low, high;   /* its range of keys, in all lanes */
    int64_t node, depth; /* its number, and how far below the root it is */
    uint64_t key;        /* for its random numbers */
} Open;

/* A node of a tree in lanes. */
typedef struct {
    int32_t feature;      /* -1 of a leaf */
    int32_t first;        /* the number of its left child; the right one comes next */
    int32_t below, above; /* the rows whose values are next to the threshold */
} GrownNode;

/* How many features a node looks at: `n` that are drawn from a stream, or all in their order if there are no more than n. */
typedef struct {
    int64_t n;
    uint64_t stream;
} Search;

/* How a feature is searched. */
typedef struct {
    uint64_t hash;    /* of its number; enters every draw */
    uint64_t stream;  /* of its drawn cuts */
    double least;     /* the least cases of a child; in lanes only */
    int64_t is_drawn; /* whether its cuts are drawn; in lanes only */
} SearchedFeature;

/* A feature with the number that a node drew for it. */
typedef struct {
    uint64_t draw;
    int64_t feature;
} Drawn;

/* The features that a node looks at, which `ftree_next_feature` takes one by one. */
typedef struct {
    const Search *search;
    const SearchedFeature *searched; /* (f,) */
    Drawn *listed;                   /* (f,): the next ones, by the size of their draws */
    int64_t f, n_listed, n_taken;    /* all features, those that are listed, and those taken from the list */
    uint64_t key;                    /* of the node */
} Draws;

INLINE int32_t new_bit(const GrowthRules *rules) { return (int32_t)1 << (rules->shift - 1); }
INLINE int32_t missing_bit(const GrowthRules *rules) { return (int32_t)1 << (rules->shift - 2); }

/* The key of a row that goes to one of two sides, `is_new` being the bit of new values. Its value is new on a side if
   no row before it took the value there. `due` tells for which sides this holds: the bit `is_new` for the left one, and
   the bit above for the right one. It starts as 0; the first key of a value sets both bits, and the first key on a side
   clears that of the side. */
INLINE uint32_t key_on_side(uint32_t key, uint32_t side, uint32_t is_new, uint32_t *due)
{
    *due |= (key & is_new) * 3;
    key = (key & ~is_new) | (*due >> side & is_new);
    *due &= ~(is_new << side);
    return key;
}

/* The first of sorted keys with the value of a row. */
INLINE int64_t first_key_of_value(const GrowthRules *rules, const int32_t *keys, int64_t row)
{
    int64_t i = 0;
    while (keys[i] >> rules->shift != row) i++;
    while (!(keys[i] & new_bit(rules))) i--;
    return i;
}

/* Whether a rule that looks at a node alone closes one with so many cases, of which the most frequent class has `most`; without
   classes that is NOTHING, and neither `pure` nor `errors` closes the node here. */
INLINE bool closes(const GrowthRules *rules, int64_t depth, double cases, double most)
{
    if ((double)depth >= rules->depth || cases < rules->rows) return true;
    return (rules->pure != 0 && most >= cases) || cases - most < rules->errors;
}

INLINE double least_of(double a, double b) { return a < b ? a : b; }
INLINE double most_of(double a, double b) { return a > b ? a : b; }

/* The midpoint of two values, as `ftree._lib.arrays.midpoint` has it. */
INLINE double midpoint(double below, double above)
{
    double middle = below / 2 + above / 2;
    return below <= middle && middle < above ? middle : below;
}

/* The whole number below the mean of numbers with a sum, from which a node counts them, as the search in NumPy does. */
INLINE int64_t centre_of(int64_t sum, double cases)
{
    double mean = (double)sum / cases;
    return (int64_t)mean - ((double)(int64_t)mean > mean);
}

/* Sums of nodes are written in limbs: floats that add up exactly. In the counts of a node, the limbs of sum s are those from
   `limbs[s]` up to `limbs[s + 1]` (`limb_places` in ftree/growth/depth_first/target_sums.py). */
INLINE double limb_sum(const double *counts, const int64_t *limbs, int64_t s)
{
    double sum = 0;
    for (int64_t c = limbs[s]; c < limbs[s + 1]; c++) sum += counts[c];
    return sum;
}

/* The same as a whole number. */
INLINE int64_t whole_limb_sum(const double *counts, const int64_t *limbs, int64_t s)
{
    int64_t sum = 0;
    for (int64_t c = limbs[s]; c < limbs[s + 1]; c++) sum += (int64_t)counts[c];
    return sum;
}

INLINE double cell(Cells in, int64_t line, int64_t row) { return in.cells[line * in.by_line + row * in.by_row]; }

/* The child of a row at a question, by it or by a surrogate, else the default child; -1 without one. */
int64_t ftree_child_of_row(Cells in, int64_t row, int64_t question, Ways ways);

/* The child of a row at the question of a node; most questions are answered here, in half the time. */
INLINE int64_t child_at(Cells in, int64_t row, int64_t node, Ways ways)
{
    const Step *own = ways.steps + node;
    double x = cell(in, own->line >> 1, row);
    return x != x || own->line & 1 ? ftree_child_of_row(in, row, node, ways) : x > own->at;
}

/* Counts of pairs of items among the rows with an item; see bits.c. */
FTREE_API int64_t ftree_pairs_with_float64(const double *triples, const double *pairs, int64_t item, double *own, int64_t n,
                                           int64_t k, int64_t p);

/* Part the keys from `low` to `high` of all l lanes, but for lane `in_order` (-1 for none), whose keys are in order already:
   `right` (n,) is 1 for rows that go right; lanes.c. */
FTREE_API int64_t ftree_part_lanes(const GrowthRules *rules, int32_t *keys, const uint8_t *distinct, int64_t low, int64_t high,
                                   int64_t in_order, const uint8_t *right, int32_t *room, int64_t l, int64_t n);

/* The next feature that a node looks at, -1 after the last. */
int64_t ftree_next_feature(Draws *draws);

/* The cut that a node draws between the least and the largest value of a feature, below the latter. */
double ftree_drawn_cut(const SearchedFeature *feature, uint64_t key, double least, double most);

/* A number hashed by SplitMix64, as `ftree._lib.random_numbers` does. */
INLINE uint64_t hashed(uint64_t number)
{
    uint64_t z = number + 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

INLINE uint64_t key_of_child(uint64_t key, int64_t child) { return hashed(key ^ hashed((uint64_t)child)); }

/* The logarithm to base 2 of a normal number above 0, by arithmetic only: 2 atanh(s) / log(2) of its fraction. The
   series is added up in two halves, which do not wait for each other. */
INLINE double log_2(double x)
{
    union {
        double number;
        uint64_t bits;
    } own = {x};
    /* 0x3fe6a09e667f3bcd are the bits of sqrt(1 / 2): the fraction is from there up to sqrt(2). The exponent becomes a float by the low
       bits of 2^52, as compilers vectorise it. */
    uint64_t bits = own.bits - 0x3fe6a09e667f3bcdu;
    uint64_t above = (bits + ((uint64_t)1024 << 52)) >> 52;
    own.bits -= (above - 1024) << 52;
    union {
        uint64_t bits;
        double number;
    } exponent = {above | 0x4330000000000000u};
    double s = (own.number - 1) / (own.number + 1);
    double two = s * s;
    double four = two * two;
    double one = ((((1.0 / 23 * four + 1.0 / 19) * four + 1.0 / 15) * four + 1.0 / 11) * four + 1.0 / 7) * four + 1.0 / 3;
    double other = (((1.0 / 21 * four + 1.0 / 17) * four + 1.0 / 13) * four + 1.0 / 9) * four + 1.0 / 5;
    return (exponent.number - (0x1p52 + 1024)) + 2.8853900817779268 * (s + s * two * (one + two * other));
}

/* n log2 n for entropy; other impurities do not look at it. */
INLINE double log_term(int64_t impurity, double n) { return impurity == ENTROPY && n > 0 ? n * log_2(n) : 0; }

/* A proportion of a weight, rounded down to a multiple of `unit`, a power of two. */
INLINE double share_on_grid(double weight, double proportion, double unit)
{
    return (double)(int64_t)(weight * proportion / unit) * unit;
}

/* The number of ones in 64 bits; compilers recognise the pattern and emit one instruction, if the processor has it. */
INLINE uint64_t ones_in(uint64_t word)
{
    word = word - ((word >> 1) & 0x5555555555555555);
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return (word * 0x0101010101010101) >> 56;
}

/* The place of the lowest one in 64 bits that are not all 0. */
INLINE int64_t lowest_one(uint64_t word) { return (int64_t)ones_in((word & -word) - 1); }
#endif
