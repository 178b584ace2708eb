/* Depth-first growth on tables of any kinds: features of codes and of numbers, weights, missing values, and every
   measure of table.h.

   An open node is a range of all lines of `keys`: line 0 has its rows, and each further line, a lane, has keys of
   the same rows in the order of a feature of many numbers, the missing ones last (GrowthRules tells what a key
   holds). Codes and classes are looked up by row. The node opened last is the last range; its children, which may
   have more rows, since a row without an answer may go to several, take its place.

   `grow_node` has the steps: score all features, choose one, send rows to `child`, count the children, and, unless a
   rule refuses the split, send rows without an answer, part the lines and open the children. Where rounding could
   decide a choice, the caller decides it by NumPy, and puts the split into the node (IS_DECIDED). */
#include "table.h"
#include "memory.h"

/* The codes of a node of up to so many rows are not tallied, but sorted. */
#define MOST_SORTED 24

/* ---- The choice of a node ---- */

static bool is_tallied(const SearchedNode *node) { return node->high - node->low > MOST_SORTED; }

/* Score the features that a node looks at: all, or as many of those with several values as its search draws. */
static void score_features(const Table *t, const SearchedNode *node)
{
    const double *total = t->room.run.sums ? &node->cases : node->counts;
    Draws draws = {.search = t->search, .searched = t->searched, .listed = t->room.drawn, .f = t->f, .key = node->key};
    if (is_tallied(node)) ftree_tally_codes(t, node);
    for (int64_t f = 0; f < t->f; f++) t->room.found[f] = (Scored){.score = NOTHING};
    for (int64_t n_searched = 0, f; n_searched < t->search->n && (f = ftree_next_feature(&draws)) >= 0;) {
        if (t->columns[f].split_kind == NO_SPLIT) continue;
        Run run = ftree_run_of(t, node, f, is_tallied(node));
        t->room.found[f] = ftree_best_of_run(&t->measure, t->columns + f, &run, total);
        n_searched += run.n > 1;
    }
}

/* ---- The split of a node ---- */

/* List the values of the first n entries of a run's order, which are its first side, rising. */
static void list_side(const Table *t, Run *run, int64_t n, TableNode *split)
{
    for (int64_t entry = 0; entry < run->n; entry++) run->spare[entry] = 0;
    for (int64_t i = 0; i < n; i++) run->spare[run->order[i]] = 1;
    for (int64_t entry = 0; entry < run->n; entry++)
        if (run->spare[entry]) t->grown.listed[split->listed + split->n_listed++] = run->values[entry];
}

/* Describe the best split of a feature: its kind, and the values next to its threshold, or those that it lists. Values
   of a lane are still named by keys, counted from the first one of the node, which `follow` needs; then `name_rows`
   names them by rows. */
static TableNode split_of(const Table *t, const SearchedNode *node, int64_t f)
{
    const Column *column = t->columns + f;
    const Scored *found = t->room.found + f;
    Run run = ftree_run_of(t, node, f, is_tallied(node));
    int32_t kind = column->split_kind == ONE_VALUE ? SUBSET : column->split_kind;
    TableNode split = {.kind = kind, .feature = (int32_t)f, .arity = 2, .listed = t->grown.state[N_LISTED], .default_child = -1};
    if (kind == THRESHOLD) {
        split.below = run.values[found->cut - 1];
        split.above = run.values[found->cut];
        if (column->place < 0) split.below = split.above - 1; /* its last key, not its first */
    } else if (kind == SUBSET) {
        list_side(t, &run, ftree_order_run(&t->measure, column, &run, found), &split);
    } else {
        int64_t n = column->declared ? column->declared : run.n;
        for (int64_t i = 0; i < n; i++) t->grown.listed[split.listed + i] = column->declared ? (int32_t)i : run.values[i];
        split.n_listed = split.arity = (int32_t)n;
    }
    return split;
}

/* The split that the caller has decided, which is in the node; the values next to its threshold are named as in `split_of`. */
static TableNode decided_split(const Table *t, const SearchedNode *node)
{
    TableNode split = t->grown.nodes[node->number];
    const Column *column = t->columns + split.feature;
    if (split.kind != THRESHOLD || column->place >= 0) return split;
    split.above = (int32_t)first_key_of_value(t->rules, lane_of(t, node, column), split.above);
    split.below = split.above - 1;
    return split;
}

/* Fill the child of each row of a node by its split, -1 where its value is missing. */
static void follow(const Table *t, const SearchedNode *node, const TableNode *split)
{
    int64_t *route = t->room.route;
    const Column *column = t->columns + split->feature;
    const int64_t size = node->high - node->low;
    if (column->place < 0) {
        const int32_t *keys = lane_of(t, node, column);
        const int32_t is_missing = missing_bit(t->rules);
        for (int64_t i = 0; i < size; i++)
            t->room.child[keys[i] >> t->rules->shift] = keys[i] & is_missing ? -1 : i >= split->above;
        return;
    }
    for (int32_t code = 0; code < column->n_codes; code++)
        if (split->kind == THRESHOLD) route[code] = code > split->below;
        else route[code] = split->kind == SUBSET ? 1 : -1;
    for (int32_t i = 0; i < split->n_listed; i++) route[t->grown.listed[split->listed + i]] = split->kind == SUBSET ? 0 : i;
    route[column->n_codes] = -1;
    for (int64_t i = 0; i < size; i++) {
        int64_t row = t->grown.keys[node->low + i];
        t->room.child[row] = (int32_t)route[code_of(t, row, column->place)];
    }
}

/* Name the values next to a threshold of a lane by rows of the table, in place of keys of the node. */
static void name_rows(const Table *t, const SearchedNode *node, TableNode *split)
{
    const Column *column = t->columns + split->feature;
    if (split->kind != THRESHOLD || column->place >= 0) return;
    const int32_t *keys = lane_of(t, node, column);
    split->below = keys[split->below] >> t->rules->shift;
    split->above = keys[split->above] >> t->rules->shift;
}

/* Fill the counts (arity, q) of the children, and return the number of rows without a child. */
static int64_t count_children(const Table *t, const SearchedNode *node, int64_t arity, double *counts)
{
    int64_t lost = 0;
    for (int64_t c = 0; c < arity * t->q; c++) counts[c] = 0;
    for (int64_t i = node->low; i < node->high; i++) {
        int64_t row = t->grown.keys[i], child = t->room.child[row];
        if (child >= 0) count_row(t, counts + child * t->q, row, weight_of(t, row));
        lost += child < 0;
    }
    return lost;
}

/* ---- Growth ---- */

/* Whether there is room for the most that a node may add, keys and copies left out; else `state` says how much it needs. */
static bool has_room(const Table *t)
{
    int64_t *state = t->grown.state;
    state[NEEDED_NODES] = state[N_NODES] + t->widest;
    state[NEEDED_LISTED] = state[N_LISTED] + t->widest;
    state[NEEDED_STAND_INS] = state[N_STAND_INS] + t->most_surrogates;
    return state[NEEDED_NODES] <= t->grown.most_nodes && state[NEEDED_LISTED] <= t->grown.most_listed &&
           state[NEEDED_STAND_INS] <= t->grown.most_stand_ins;
}

/* Prepare the search of an open node: the weights of its rows, of numbers their centre, and of events the guard of gains. */
static SearchedNode node_of(Table *t, const Open *here)
{
    const double *counts = t->grown.counts + here->node * t->q;
    SearchedNode node = {.low = here->low,
                         .high = here->high,
                         .depth = here->depth,
                         .number = here->node,
                         .counts = counts,
                         .cases = cases_of(t, counts),
                         .key = here->key};
    for (int64_t i = node.low; i < node.high && t->grown.fractions; i++) {
        int64_t row = t->grown.keys[i];
        t->room.products[row] = (t->times ? t->times[row] : 1) * t->grown.fractions[i];
    }
    if (t->measure.impurity == POISSON) {
        ftree_risk_of(t, counts, &t->measure.guard);
        t->measure.guard /= node.cases;
    } else if (t->channels) {
        node.centre = centre_of(whole_limb_sum(counts, t->limbs, TOTAL), node.cases);
    }
    return node;
}

/* Whether all numbers of a node are equal. */
static bool are_equal(const Table *t, const SearchedNode *node)
{
    const int32_t *rows = t->grown.keys + node->low;
    int64_t i = 1, size = node->high - node->low;
    while (i < size && t->whole[rows[i]] == t->whole[rows[0]]) i++;
    return i == size;
}

/* Note a node's split, and open its children, which are laid out. */
static void open_children(Table *t, const SearchedNode *node, TableNode *split)
{
    int64_t *state = t->grown.state, first = state[N_NODES];
    split->first = (int32_t)first;
    t->grown.nodes[node->number] = *split;
    state[N_OPEN]--;
    for (int64_t v = 0; v < split->arity; v++) {
        t->grown.nodes[first + v] = (TableNode){.feature = -1};
        if (!is_open(t, v)) continue;
        t->grown.open[state[N_OPEN]++] = (Open){.low = node->low + t->room.starts[v],
                                                .high = node->low + t->room.starts[v + 1],
                                                .node = first + v,
                                                .depth = node->depth + 1,
                                                .key = key_of_child(node->key, v)};
    }
    state[N_NODES] += split->arity;
    state[N_LISTED] += split->n_listed;
    state[N_STAND_INS] += split->n_stand_ins;
    state[IS_DECIDED] = 0;
}

/* Divide a node by a split that its rows follow. The counts (arity, q) of the children have the rows with an answer,
   and get the `lost` ones, which have none. */
static int64_t divide(Table *t, const SearchedNode *node, TableNode *split, double *counts, int64_t lost)
{
    int64_t n_copies = 0;
    if (split->kind != MULTIWAY && t->columns[split->feature].has_surrogates) {
        ftree_find_surrogates(t, node, split, counts);
    } else if (lost && t->grid == 0) {
        ftree_send_to_heaviest(t, node, split->arity, counts);
    } else if (lost) {
        n_copies = ftree_divide_rows(t, node, split->arity, counts);
    }
    t->grown.state[NEEDED_COPIES] = n_copies;
    if (n_copies > t->room.most_copies) return LACKS_ROOM;
    int64_t total = ftree_lay_out(t, node, split->arity, counts, n_copies);
    t->grown.state[NEEDED_KEYS] = node->low + total;
    if (t->grown.state[NEEDED_KEYS] > t->grown.width) return LACKS_ROOM;
    if (total) ftree_part_lines(t, node, split->arity, total, n_copies);
    open_children(t, node, split);
    return GROWN;
}

/* Search a node for a split; whether there is one. */
static bool finds_split(const Table *t, const SearchedNode *node, TableNode *split, bool *unsure)
{
    bool may_be_equal = t->measure.impurity == VARIANCE && t->rules->pure != 0;
    if (ftree_is_closed(t, node->counts, node->depth, unsure) || (may_be_equal && are_equal(t, node))) return false;
    score_features(t, node);
    int64_t f = ftree_choose_feature(t, unsure);
    if (f < 0 || *unsure) return false;
    *split = split_of(t, node, f);
    return true;
}

/* Search the node that was opened last, unless its split is decided, and divide it or leave it as a leaf. */
static int64_t grow_node(Table *t, const SearchedNode *node)
{
    const bool is_decided = t->grown.state[IS_DECIDED] != 0;
    double *counts = t->grown.counts + t->grown.state[N_NODES] * t->q;
    bool unsure = false;
    TableNode split = is_decided ? decided_split(t, node) : (TableNode){.feature = -1};
    bool is_split = is_decided || finds_split(t, node, &split, &unsure);
    int64_t lost = 0;
    if (is_split) {
        follow(t, node, &split);
        name_rows(t, node, &split);
        lost = count_children(t, node, split.arity, counts);
        is_split = is_decided || !ftree_is_refused(t, node, &split, counts, &unsure);
    }
    if (unsure) return UNSURE;
    if (is_split) return divide(t, node, &split, counts, lost);
    t->grown.state[N_OPEN]--;
    return GROWN;
}

/* Search and divide open nodes until none is left, about so many `steps` are made, or the caller must act. */
static int64_t grow_nodes(Table *t, int64_t steps)
{
    const int64_t *n_open = t->grown.state + N_OPEN;
    while (*n_open && steps > 0) {
        const Open here = t->grown.open[*n_open - 1];
        if (!has_room(t)) return LACKS_ROOM;
        SearchedNode node = node_of(t, &here);
        steps -= (here.high - here.low) * t->f + 1;
        int64_t left = grow_node(t, &node);
        if (left != GROWN) return left;
    }
    return GROWN;
}

/* Divide memory for nodes of up to `width` rows, and return how many words it takes. */
static int64_t lay_out(const TableSizes *sizes, int64_t width, uint64_t *words, TableRoom *room)
{
    Memory memory = {words, 0};
    const int64_t n = sizes->rows, k = sizes->classes, n_sums = sizes->sums;
    const int64_t most = sizes->most_values, wide = sizes->widest + 1;
    Run *run = &room->run;
    room->keys = take(&memory, width, sizeof(int32_t));
    room->fractions = take(&memory, sizes->divides ? width : 0, sizeof(double));
    room->child = take(&memory, n, sizeof(int32_t));
    room->products = take(&memory, sizes->divides ? n : 0, sizeof(double));
    room->tally = take(&memory, sizes->cells, sizeof(double));
    room->sums = take(&memory, sizes->cells * n_sums, sizeof(int64_t));
    room->route = take(&memory, wide, sizeof(int64_t));
    room->starts = take(&memory, wide, sizeof(int64_t));
    room->cursor = take(&memory, wide, sizeof(int64_t));
    room->latest = take(&memory, wide, sizeof(int64_t));
    room->found = take(&memory, sizes->features, sizeof(Scored));
    room->drawn = take(&memory, sizes->features, sizeof(Drawn));
    run->values = take(&memory, most, sizeof(int32_t));
    run->order = take(&memory, most, sizeof(int32_t));
    run->spare = take(&memory, most, sizeof(int32_t));
    run->counts = take(&memory, most * k, sizeof(double));
    run->sizes = take(&memory, most, sizeof(double));
    run->share = take(&memory, most, sizeof(double));
    run->scores = take(&memory, sizes->most_scores, sizeof(double));
    run->left = take(&memory, k, sizeof(double));
    run->right = take(&memory, k, sizeof(double));
    run->sums = take(&memory, most * n_sums, sizeof(int64_t));
    return memory.n_taken;
}

/* How many words of memory a call needs where a line of keys has room for `width`: see memory.h. */
FTREE_API int64_t ftree_grow_table_words(const TableSizes *sizes, int64_t width)
{
    TableRoom room;
    return lay_out(sizes, width, NULL, &room);
}

/* The measure of a criterion for k classes, given factors of classes or NULL, and n log2 n of whole numbers up to `most`. */
static Measure measure_of(const Criterion *criterion, int64_t k, const double *factors, const double *entropies, int64_t most)
{
    return (Measure){
        .factors = factors,
        .entropies = entropies,
        .most = most,
        .lines = criterion->lines,
        .slack = criterion->slack,
        .scale = criterion->scale,
        .rate = criterion->rate,
        .rounding = criterion->rounding,
        .prior = criterion->prior,
        .impurity = criterion->impurity,
        .k = k,
        .own = (OwnImpurity)(uintptr_t)criterion->own,
        .by_ratio = criterion->by_ratio != 0,
    };
}

/* Grow the subtrees of open nodes for about so many `steps` of rows through features. The result is what is left to the
   caller: GROWN; UNSURE about the last open node; or LACKS_ROOM, whose size is in `state`.

   The arguments come in groups, each from a line of its own: the table (`TableColumns.given` in
   ftree/growth/depth_first/table_columns.py), memory, what grows with room of its size (`TablePart` in table_growth.py
   beside it), and lengths. `ftree.native.signatures` has the shape of each; see Table, TableGrowth and Measure for what
   they are. `entropies` (e,) has n log2 n of whole numbers, and `memory` as many words as ftree_grow_table_words says. */
/* clang-format off */
FTREE_API int64_t ftree_grow_table(
    const TableSizes *sizes, const GrowthRules *rules, const Criterion *criterion, const double *factors, const double *entropies,
    const Column *columns, const Search *search, const SearchedFeature *searched, const uint16_t *codes, const int32_t *labels,
    const double *times, const int64_t *whole, const double *channels, const int64_t *limbs, const double *values,
    const int64_t *begin,
    uint64_t *memory, int64_t steps,
    int64_t *state, Open *open, TableNode *nodes, double *counts, int32_t *listed, StandIn *stand_ins, int32_t *keys,
    double *fractions, Copy *copies,
    int64_t e, int64_t c, int64_t q, int64_t m, int64_t g, int64_t h, int64_t l, int64_t b, int64_t j)
/* clang-format on */
{
    const bool of_sums = sizes->sums > 0;
    Table own = {
        .rules = rules,
        .columns = columns,
        .search = search,
        .searched = searched,
        .codes = codes,
        .labels = labels,
        .times = times,
        .channels = channels,
        .limbs = limbs,
        .values = values,
        .whole = whole,
        .begin = begin,
        .f = sizes->features,
        .c = c,
        .l = l,
        .q = q,
        .widest = sizes->widest,
        .most_surrogates = criterion->most_surrogates,
        .least_agreeing = criterion->least_agreeing,
        .grid = criterion->grid,
        .measure = measure_of(criterion, sizes->classes, factors, entropies, e - 1),
    };
    own.grown = (TableGrowth){
        .state = state,
        .open = open,
        .nodes = nodes,
        .counts = counts,
        .listed = listed,
        .stand_ins = stand_ins,
        .keys = keys,
        .fractions = fractions,
        .width = b,
        .most_nodes = m,
        .most_listed = g,
        .most_stand_ins = h,
    };
    own.room.run = (Run){.k = sizes->classes, .n_sums = sizes->sums};
    own.room.copies = copies;
    own.room.most_copies = j;
    const int64_t n_words = lay_out(sizes, b, memory, &own.room);
    own.room.weight = sizes->divides ? own.room.products : own.times;
    if (!of_sums) own.room.run.sums = NULL;
    const int64_t left = grow_nodes(&own, steps);
    give_back(memory, n_words);
    return left;
}
