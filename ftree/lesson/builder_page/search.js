// The split that the policy chooses at a part, out of the best one of each feature, unless a stopping rule holds. Needs table
// (given, limits, policy, total, words), responses (casesOf, response), scores (ratio), splits (bestSplit, firstBest).

// The figures by which features compete, given the best split of each.
const choices = {
  "splitters.by_score": (found) => found.map((each) => each.score),
  "splitters.by_gain_ratio": (found, { slack }) => {
    const few = found.filter((each) => each.split && !given.many.includes(each.feature));
    const mean = few.length ? total(few.map((each) => each.score)) / few.length : Infinity;
    const figures = found.map((each) => (each.split && each.score >= mean - slack ? ratio(each.score, each.information) : 0));
    return figures.map((figure) => (figure > limits.tie ? figure : -Infinity));
  },
};

// Whether a rule closes a part whose best split is known.
const closes = (stop, part, best) => rules[stop.type](part, best, stop);
const rules = {
  "stop.pure": (part) => response.isPure(part),
  "stop.no_gain": (_, best) => best.gain <= response.noGain,
  "stop.max_depth": (part, _, { limit }) => part.depth >= limit,
  "stop.min_rows": (part, _, { n }) => part.cases < n,
  "stop.min_best_child": (_, best, { n }) => Math.min(...best.children.map(casesOf)) < n,
  "stop.min_gain": (_, best, { bits }) => best.gain < response.leastTied(bits),
  "stop.min_impurity_decrease": (part, best, { least, cases }) =>
    (best.gain * part.cases) / (cases || 1) < response.leastTied(least),
  "stop.not_significant": (_, best, { alpha }) => best.pValue > alpha,
  "stop.any_of": (part, best, { rules: own }) => own.some((each) => closes(each, part, best)),
  "stop.all_of": (part, best, { rules: own }) => own.every((each) => closes(each, part, best)),
  "stop.not_": (part, best, { rule: own }) => !closes(own, part, best),
};

// All features at a part, in the order of `scores`: the choice, then those with the largest figures and scores; and the split that
// the policy chooses, null where it stops.
function searched(part) {
  if (part.found) return part.found;
  const listed = words.features.map((_, feature) => bestSplit(part, feature));
  const figures = choices[policy.choose.type](listed, policy.choose);
  const best = listed[firstBest(figures)];
  const choice = best && !closes(policy.stop, part, best) ? best : null;
  part.found = { features: inOrder(listed, figures), choice };
  return part.found;
}
// Features that have equal keys stay in order.
function inOrder(listed, figures) {
  const most = Math.max(...figures);
  const first = figures.findIndex((figure) => figure > -Infinity && figure >= most - limits.tie);
  const rounded = (number) => (Number.isFinite(number) ? Math.round(number * 1e9) : number);
  const keys = listed.map((each, number) => [number === first, rounded(figures[number]), rounded(each.score)]);
  const compare = (one, other) => {
    const place = keys[one].findIndex((key, at) => key !== keys[other][at]);
    return place < 0 ? 0 : keys[other][place] - keys[one][place];
  };
  return [...listed.keys()].sort(compare).map((number) => listed[number]);
}
