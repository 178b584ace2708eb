/* Depth-first growth on tables of any kinds: features of codes and of numbers, weights, missing values, and every
   measure of table.h.

   An open node is a range of all lines of `keys`: line 0 has its rows, and each further line, a lane, has keys of
   the same rows in the order of a feature of many numbers, the missing ones last (GrowthRules tells what a key
   holds). Codes and classes are looked up by row. The node opened last is the last range; its children, which may
   have more rows, since a row without an answer may go to several, take its place.

   `grow_node` has the steps: score all features, choose one, send rows to `child`, count the children, and, unless a
   rule refuses the split, send rows without an answer, part the lines and open the children. Where rounding could
   decide a choice, the caller decides it by NumPy, puts the children of rows in `child` and the split in the node,
   and sets IS_GIVEN. */
#include "table.h"

/* The codes of a node of up to so many rows are not tallied, but sorted. */
#define MOST_SORTED 24

/* 1 / log(2): a unit of likelihood in bits. */
#define A_BIT 1.4426950408889634

/* What a call leaves to its caller: nothing, a choice, more room. */
enum { GROWN, UNSURE, LACKS_ROOM };

/* ---- The choice of a node ---- */

static bool is_tallied(const Node *node) { return node->high - node->low > MOST_SORTED; }

/* Score the features that a node looks at: all, or as many of those with several values as its search draws. */
static void score_features(const Table *t, const Node *node)
{
    const double *total = t->run.sums ? &node->cases : node->counts;
    Draws draws = {.search = t->search, .features = t->searched, .listed = t->drawn, .f = t->f, .key = node->key};
    if (is_tallied(node)) ftree_tally_codes(t, node);
    for (int64_t f = 0; f < t->f; f++) t->found[f] = (Scored){.score = NOTHING};
    for (int64_t n_searched = 0, f; n_searched < t->search->n && (f = ftree_next_feature(&draws)) >= 0;) {
        if (t->columns[f].split_kind == NO_SPLIT) continue;
        Run run = ftree_run_of(t, node, f, is_tallied(node));
        t->found[f] = ftree_best_of_run(&t->measure, t->columns + f, &run, total);
        n_searched += run.n > 1;
    }
}

/* How many times the least factor of a class is the largest one. */
static double ratio_of_factors(const Measure *m)
{
    double least = INFINITY, most = 0;
    for (int64_t c = 0; c < m->k && m->factors; c++) {
        least = m->factors[c] > 0 && m->factors[c] < least ? m->factors[c] : least;
        most = m->factors[c] > most ? m->factors[c] : most;
    }
    return most > least ? most / least : 1;
}

/* The first feature within a tie of the best score, -1 for none. */
static int64_t by_score(const Table *t, const Node *node, bool *unsure)
{
    const Scored *found = t->found;
    double best = NOTHING;
    int64_t chosen = -1;
    for (int64_t f = 0; f < t->f; f++) {
        *unsure |= found[f].score != found[f].score;
        best = found[f].score > best ? found[f].score : best;
    }
    if (best == NOTHING) return -1;
    double guard = ftree_guard_of(&t->measure, node->cases * ratio_of_factors(&t->measure), best);
    double tie = t->measure.impurity == VARIANCE ? TIE * best : TIE; /* sums of numbers are exact */
    for (int64_t f = 0; f < t->f; f++) {
        if (found[f].score >= best - 3 * (tie + guard)) *unsure |= found[f].unsure != 0;
        if (chosen < 0 && found[f].score >= best - tie - guard) {
            chosen = f;
            *unsure |= found[f].score < best - tie + guard;
        }
    }
    return chosen;
}

/* A gain for each bit of information, NOTHING where the gain is not the least one; and a bound on its rounding error. */
static double ratio_of(const Scored *found, double least, double *guard)
{
    *guard = 0;
    if (!(found->score > NOTHING) || found->score < least) return NOTHING;
    if (found->information <= 0) return 0;
    double ratio = found->score / found->information;
    double bound = GUARD * (1 + ratio) / found->information;
    *guard = bound < TIE / 2 ? bound : TIE / 2;
    return ratio;
}

INLINE bool is_near(double x, double y, double guard) { return x - y < guard && y - x < guard; }

/* The feature with the best gain ratio among those whose gain is not below the mean, as `ftree.splitters.by_gain_ratio`
   chooses. */
static int64_t by_gain_ratio(const Table *t, bool *unsure)
{
    const Scored *found = t->found;
    double total = 0, best = NOTHING, guard;
    int64_t n = 0, chosen = -1;
    for (int64_t f = 0; f < t->f; f++) {
        *unsure |= found[f].unsure != 0 || found[f].score != found[f].score;
        if (found[f].score > NOTHING && !t->columns[f].many) {
            n++;
            total += found[f].score;
        }
    }
    double least = n ? total / (double)n - t->measure.slack : INFINITY;
    for (int64_t f = 0; f < t->f; f++) {
        double ratio = ratio_of(found + f, least, &guard);
        best = ratio > best ? ratio : best;
        *unsure |= is_near(found[f].score, least, GUARD) || is_near(ratio, TIE, guard);
    }
    for (int64_t f = 0; f < t->f && chosen < 0; f++) {
        double ratio = ratio_of(found + f, least, &guard);
        if (ratio <= TIE || ratio < best - TIE - guard) continue;
        chosen = f;
        *unsure |= ratio < best - TIE + guard;
    }
    return chosen;
}

/* ---- The split of a node ---- */

/* List the values of the first n entries of a run's order, which are its first side, rising. */
static void list_side(const Table *t, Run *run, int64_t n, TableNode *split)
{
    for (int64_t entry = 0; entry < run->n; entry++) run->spare[entry] = 0;
    for (int64_t i = 0; i < n; i++) run->spare[run->order[i]] = 1;
    for (int64_t entry = 0; entry < run->n; entry++)
        if (run->spare[entry]) t->listed[split->listed + split->n_listed++] = run->values[entry];
}

/* Describe the best split of a feature: its kind, and the values next to its threshold, or those that it lists. Values
   of a lane are still named by keys, counted from the first one of the node, which `follow` needs; then `name_rows`
   names them by rows. */
static TableNode split_of(const Table *t, const Node *node, int64_t f)
{
    const Column *column = t->columns + f;
    const Scored *found = t->found + f;
    Run run = ftree_run_of(t, node, f, is_tallied(node));
    int32_t kind = column->split_kind == ONE_VALUE ? SUBSET : column->split_kind;
    TableNode split = {.kind = kind, .feature = (int32_t)f, .arity = 2, .listed = t->state[N_LISTED], .default_child = -1};
    if (kind == THRESHOLD) {
        split.below = run.values[found->cut - 1];
        split.above = run.values[found->cut];
        if (column->place < 0) split.below = split.above - 1; /* its last key, not its first */
    } else if (kind == SUBSET) {
        list_side(t, &run, ftree_order_run(&t->measure, column, &run, found), &split);
    } else {
        int64_t n = column->declared ? column->declared : run.n;
        for (int64_t i = 0; i < n; i++) t->listed[split.listed + i] = column->declared ? (int32_t)i : run.values[i];
        split.n_listed = split.arity = (int32_t)n;
    }
    return split;
}

/* Fill the child of each row of a node by its split, -1 where its value is missing. */
static void follow(const Table *t, const Node *node, const TableNode *split)
{
    int64_t *route = t->route;
    const Column *column = t->columns + split->feature;
    const int64_t size = node->high - node->low;
    if (column->place < 0) {
        const int32_t *keys = lane_of(t, node, column);
        const int32_t is_missing = missing_bit(t->rules);
        for (int64_t i = 0; i < size; i++) t->child[keys[i] >> t->rules->shift] = keys[i] & is_missing ? -1 : i >= split->above;
        return;
    }
    for (int32_t code = 0; code < column->n_codes; code++)
        route[code] = split->kind == THRESHOLD ? code > split->below : split->kind == SUBSET ? 1 : -1;
    for (int32_t i = 0; i < split->n_listed; i++) route[t->listed[split->listed + i]] = split->kind == SUBSET ? 0 : i;
    route[column->n_codes] = -1;
    for (int64_t i = 0; i < size; i++) {
        int64_t row = t->keys[node->low + i];
        t->child[row] = (int32_t)route[code_of(t, row, column->place)];
    }
}

/* Name the values next to a threshold of a lane by rows of the table, in place of keys of the node. */
static void name_rows(const Table *t, const Node *node, TableNode *split)
{
    const Column *column = t->columns + split->feature;
    if (split->kind != THRESHOLD || column->place >= 0) return;
    const int32_t *keys = lane_of(t, node, column);
    split->below = keys[split->below] >> t->rules->shift;
    split->above = keys[split->above] >> t->rules->shift;
}

/* Fill the counts (arity, q) of the children, and return the number of rows without a child. */
static int64_t count_children(const Table *t, const Node *node, int64_t arity, double *counts)
{
    int64_t lost = 0;
    for (int64_t c = 0; c < arity * t->q; c++) counts[c] = 0;
    for (int64_t i = node->low; i < node->high; i++) {
        int64_t row = t->keys[i], child = t->child[row];
        if (child >= 0) count_row(t, counts + child * t->q, row, weight_of(t, row));
        lost += child < 0;
    }
    return lost;
}

/* The risk of sums as a share of the root's mean risk of a case, and a bound on its rounding error, which is also that of
   decreases by splits of events: where rounding makes the risk of a child negative, NumPy takes 0, and so a
   smaller decrease. Each third of the other counts has a sum, of numbers the last two that of squares. */
static double risk_of(const Table *t, const double *counts, double *guard)
{
    const Measure *m = &t->measure;
    double sums[3] = {0};
    for (int64_t c = 1; c < t->q; c++) sums[(c - 1) / (t->q / 3)] += counts[c];
    if (m->impurity == VARIANCE) {
        double squares = sums[1] + sums[2];
        *guard = 1e-14 * squares * m->scale;
        return (squares - sums[0] * sums[0] / counts[0]) * m->scale;
    }
    double happened = in_unit(m->lines[0], sums[0]);
    double expected = m->rate * in_unit(m->lines[1], sums[1]);
    double deviance = in_unit(m->lines[2], sums[2]);
    double bits = happened > 0 ? happened * log_2(expected / happened) : 0;
    *guard = (8e-14 * (deviance + happened + expected) + counts[0] * m->rounding) * A_BIT * m->scale;
    return ((deviance + happened - expected) * A_BIT + bits) * m->scale;
}

/* What events lose by rates that shrink, as the same share. */
static double lost_by_shrinking(const Table *t, const double *counts)
{
    const Measure *m = &t->measure;
    double sums[2] = {0};
    for (int64_t c = 1; c <= 2 * (t->q / 3); c++) sums[(c - 1) / (t->q / 3)] += counts[c];
    double happened = in_unit(m->lines[0], sums[0]);
    double expected = m->rate * in_unit(m->lines[1], sums[1]);
    double answered = (happened + m->prior) * (expected / (expected + m->prior));
    return (happened > 0 ? happened * log_2(happened / answered) : 0) + (answered - happened) * A_BIT;
}

/* Whether a rule that looks at a node alone closes one of sums, but numbers that are all equal. Of events, a mean risk
   that ties with 0 is 0, as `MeanRisk` has it, and errors are those of answers, which shrink. */
static bool is_closed_by_risk(const Table *t, const double *counts, bool *unsure)
{
    const GrowthRules *rules = t->rules;
    const Measure *m = &t->measure;
    double guard;
    double risk = risk_of(t, counts, &guard);
    double none = m->impurity == POISSON ? TIE * counts[0] : NOTHING;
    double lost = m->prior > 0 ? risk + lost_by_shrinking(t, counts) * m->scale : risk;
    *unsure |= is_near(lost, rules->errors, guard) || is_near(risk, none, guard) || is_near(lost, none, guard);
    if (rules->pure != 0 && risk + guard <= none) return true;
    return lost + guard <= none ? rules->errors > 0 : lost + guard < rules->errors;
}

bool ftree_is_closed(const Table *t, const double *counts, int64_t depth, bool *unsure)
{
    const GrowthRules *rules = t->rules;
    double cases = cases_of(t, counts);
    double most = 0;
    if ((double)depth >= rules->depth || cases < rules->rows) return true;
    if (t->channels) return is_closed_by_risk(t, counts, unsure);
    for (int64_t c = 0; c < t->q; c++) most = counts[c] > most ? counts[c] : most;
    return (rules->pure != 0 && most >= cases) || cases - most < rules->errors;
}

/* Whether a split leaves too few cases in a child, or gains too little, given the counts (arity, q) of children; `unsure` if
   rounding could decide it. */
static bool is_refused(const Table *t, const Node *node, const TableNode *split, const double *children, bool *unsure)
{
    const GrowthRules *rules = t->rules;
    const Measure *m = &t->measure;
    const double score = t->found[split->feature].score;
    for (int64_t v = 0; v < split->arity; v++)
        if (cases_of(t, children + v * t->q) < rules->leaf) return true;
    if (is_of_sums(m)) {
        *unsure |= is_near(score, rules->gain, m->guard);
        return score < rules->gain;
    }
    double scale = 1, gain = score;
    bool is_gain = !m->by_ratio && m->impurity != OWN && !t->columns[split->feature].mdl;
    if (!is_gain || is_near(gain, rules->gain, TIE))
        gain = ftree_gain_of(m, children, split->arity, node->counts, t->run.left, &scale);
    *unsure |= is_near(gain, rules->gain, GUARD * scale);
    return gain < rules->gain;
}

/* ---- Growth ---- */

/* Whether there is room for the most that a node may add, keys and copies left out; else `state` says how much it needs. */
static bool has_room(const Table *t)
{
    int64_t *state = t->state;
    state[NEEDED_NODES] = state[N_NODES] + t->widest;
    state[NEEDED_LISTED] = state[N_LISTED] + t->widest;
    state[NEEDED_STAND_INS] = state[N_STAND_INS] + t->most_surrogates;
    return state[NEEDED_NODES] <= t->most_nodes && state[NEEDED_LISTED] <= t->most_listed &&
           state[NEEDED_STAND_INS] <= t->most_stand_ins;
}

/* Prepare the search of an open node: the weights of its rows, of numbers their centre, and of events the guard of gains. */
static Node node_of(Table *t, const Open *here)
{
    const double *counts = t->counts + here->node * t->q;
    Node node = {.low = here->low,
                 .high = here->high,
                 .depth = here->depth,
                 .number = here->node,
                 .counts = counts,
                 .cases = cases_of(t, counts),
                 .key = here->key};
    for (int64_t i = node.low; i < node.high && t->fractions; i++) {
        int64_t row = t->keys[i];
        t->weight[row] = (t->times ? t->times[row] : 1) * t->fractions[i];
    }
    if (t->measure.impurity == POISSON) {
        risk_of(t, counts, &t->measure.guard);
        t->measure.guard /= node.cases;
    } else if (t->channels) {
        int64_t sum = 0; /* of numbers; its limbs are the first third of the counts after the cases */
        for (int64_t c = 1; c < 1 + t->q / 3; c++) sum += (int64_t)counts[c];
        node.centre = ftree_centre_of(sum, node.cases);
    }
    return node;
}

/* Whether all numbers of a node are equal. */
static bool are_equal(const Table *t, const Node *node)
{
    const int32_t *rows = t->keys + node->low;
    int64_t i = 1, size = node->high - node->low;
    while (i < size && t->whole[rows[i]] == t->whole[rows[0]]) i++;
    return i == size;
}

/* Note a node's split, and open its children, which are laid out. */
static void open_children(Table *t, const Node *node, TableNode *split)
{
    int64_t *state = t->state, first = state[N_NODES];
    split->first = (int32_t)first;
    t->nodes[node->number] = *split;
    state[N_OPEN]--;
    for (int64_t v = 0; v < split->arity; v++) {
        t->nodes[first + v] = (TableNode){.feature = -1};
        if (!is_open(t, v)) continue;
        t->open[state[N_OPEN]++] = (Open){.low = node->low + t->starts[v],
                                          .high = node->low + t->starts[v + 1],
                                          .node = first + v,
                                          .depth = node->depth + 1,
                                          .key = key_of_child(node->key, v)};
    }
    state[N_NODES] += split->arity;
    state[N_LISTED] += split->n_listed;
    state[N_STAND_INS] += split->n_stand_ins;
    state[IS_GIVEN] = 0;
}

/* Divide a node by a split that its rows follow. The counts (arity, q) of the children have the rows with an answer,
   and get the `lost` ones, which have none. */
static int64_t divide(Table *t, const Node *node, TableNode *split, double *counts, int64_t lost)
{
    int64_t n_copies = 0;
    if (split->kind != MULTIWAY && t->columns[split->feature].has_surrogates) {
        ftree_find_surrogates(t, node, split, counts);
    } else if (lost && t->grid == 0) {
        ftree_send_to_heaviest(t, node, split->arity, counts);
    } else if (lost) {
        n_copies = ftree_divide_rows(t, node, split->arity, counts);
    }
    t->state[NEEDED_COPIES] = n_copies;
    if (n_copies > t->most_copies) return LACKS_ROOM;
    int64_t total = ftree_lay_out(t, node, split->arity, counts, n_copies);
    t->state[NEEDED_KEYS] = node->low + total;
    if (t->state[NEEDED_KEYS] > t->width) return LACKS_ROOM;
    if (total) ftree_part_lines(t, node, split->arity, total, n_copies);
    open_children(t, node, split);
    return GROWN;
}

/* Search a node for a split, which its rows then follow; whether there is one. */
static bool finds_split(const Table *t, const Node *node, TableNode *split, bool *unsure)
{
    bool may_be_equal = t->measure.impurity == VARIANCE && t->rules->pure != 0;
    if (ftree_is_closed(t, node->counts, node->depth, unsure) || (may_be_equal && are_equal(t, node))) return false;
    score_features(t, node);
    int64_t f = t->measure.slack == t->measure.slack ? by_gain_ratio(t, unsure) : by_score(t, node, unsure);
    if (f < 0 || *unsure) return false;
    *split = split_of(t, node, f);
    follow(t, node, split);
    name_rows(t, node, split);
    return true;
}

/* Search the last open node, and divide it, or leave it as a leaf. */
static int64_t grow_node(Table *t, const Node *node)
{
    bool unsure = false;
    bool is_given = t->state[IS_GIVEN] != 0;
    double *counts = t->counts + t->state[N_NODES] * t->q;
    TableNode split = t->nodes[node->number];
    bool is_split = is_given || finds_split(t, node, &split, &unsure);
    int64_t lost = is_split ? count_children(t, node, split.arity, counts) : 0;
    is_split = is_split && (is_given || !is_refused(t, node, &split, counts, &unsure));
    if (unsure) return UNSURE;
    if (!is_split) return t->state[N_OPEN]--, GROWN;
    return divide(t, node, &split, counts, lost);
}

/* Grow the subtrees of open nodes for about so many `steps` of rows through features. The result is what is left to the
   caller: GROWN; UNSURE about the last open node; or LACKS_ROOM, whose size is in `state`.

   The arguments come in groups, each on lines of its own: the table (`TableColumns.given` in
   ftree/growth/depth_first/table_columns.py), room of a thread (`Room.arrays` in table_growth.py beside it), what
   grows with room of its size (`TablePart` there), and lengths. `ftree.native.signatures` has the shape of each; see
   Table, Measure and Run for what they are. Those that are not named so:
     factors    (p,)      empty for none;
     entropies  (e,)      n log2 n of whole numbers;
     times      (t,)      empty if all are 1, as are fractions (d,) where no row is divided, and then weight (u,);
     whole      (w, a)    empty for classes;
     by_child   (4, z)    route, starts, cursor and latest;
     run_entries (3, r), run_counts (r, k), run_sizes (2, r), scores (x,), run_sums (s, a), sides (2, k)    the run. */
FTREE_API int64_t ftree_grow_table(
    const GrowthRules *rules, const Criterion *criterion, const double *factors, const double *entropies, const Column *columns,
    const Search *search, const SearchedFeature *searched, const uint16_t *codes, const int32_t *labels, const double *times,
    const int64_t *whole, const double *channels, const double *values, const int64_t *begin, int64_t *by_child, int32_t *child,
    double *weight, double *tally, int64_t *sums, Scored *found, Drawn *drawn, int32_t *run_entries, double *run_counts,
    double *run_sizes, double *scores, int64_t *run_sums, double *sides, int64_t steps, int64_t *state, Open *open,
    TableNode *nodes, double *counts, int32_t *listed, StandIn *stand_ins, int32_t *keys, double *fractions, int32_t *room,
    double *spare, Copy *copies, int64_t p, int64_t e, int64_t f, int64_t c, int64_t t, int64_t w, int64_t a, int64_t q,
    int64_t z, int64_t r, int64_t k, int64_t m, int64_t g, int64_t h, int64_t l, int64_t b, int64_t d, int64_t j)
{
    const bool of_sums = w > 0;
    Table own = {
        .rules = rules,
        .columns = columns,
        .search = search,
        .searched = searched,
        .codes = codes,
        .labels = labels,
        .times = t ? times : NULL,
        .channels = of_sums ? channels : NULL,
        .values = values,
        .whole = whole,
        .begin = begin,
        .f = f,
        .c = c,
        .l = l,
        .width = b,
        .q = q,
        .widest = z - 1,
        .most_surrogates = criterion->most_surrogates,
        .least_agreeing = criterion->least_agreeing,
        .grid = criterion->grid,
        .measure =
            {
                .factors = p ? factors : NULL,
                .table = entropies,
                .lines = criterion->lines,
                .slack = criterion->slack,
                .scale = criterion->scale,
                .rate = criterion->rate,
                .rounding = criterion->rounding,
                .prior = criterion->prior,
                .impurity = criterion->impurity,
                .k = k,
                .most = e - 1,
                .own = (OwnImpurity)(uintptr_t)criterion->own,
                .by_ratio = criterion->by_ratio != 0,
            },
        .state = state,
        .open = open,
        .nodes = nodes,
        .counts = counts,
        .listed = listed,
        .stand_ins = stand_ins,
        .keys = keys,
        .fractions = d ? fractions : NULL,
        .most_nodes = m,
        .most_listed = g,
        .most_stand_ins = h,
        .most_copies = j,
        .room = room,
        .spare = spare,
        .child = child,
        .tally = tally,
        .sums = sums,
        .route = by_child,
        .starts = by_child + z,
        .cursor = by_child + 2 * z,
        .latest = by_child + 3 * z,
        .copies = copies,
        .found = found,
        .drawn = drawn,
        .weight = d   ? weight
                  : t ? (double *)(uintptr_t)times
                      : NULL, /* written only where there are fractions */
        .run =
            {
                .values = run_entries,
                .order = run_entries + r,
                .spare = run_entries + 2 * r,
                .counts = run_counts,
                .sizes = run_sizes,
                .share = run_sizes + r,
                .scores = scores,
                .left = sides,
                .right = sides + k,
                .sums = of_sums ? run_sums : NULL,
                .k = k,
                .n_sums = a,
            },
    };
    while (state[N_OPEN] && steps > 0) {
        const Open here = open[state[N_OPEN] - 1];
        if (!has_room(&own)) return LACKS_ROOM;
        Node node = node_of(&own, &here);
        steps -= (here.high - here.low) * f + 1;
        int64_t left = grow_node(&own, &node);
        if (left != GROWN) return left;
    }
    return GROWN;
}
