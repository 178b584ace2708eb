// The best split of one feature in a part: that of the policy's splitter for its kind. A split is the JSON of one, with its
// `type`. Needs table (limits, policy, train, words), responses (add, casesOf, nSums, noSums, response), rows (runOf, sumsOf),
// scores (entropy, ratio, score, splitInformation).

function firstBest(numbers) {
  const most = numbers.reduce((one, other) => Math.max(one, other), -Infinity);
  return most === -Infinity ? -1 : numbers.findIndex((number) => number >= response.leastTied(most));
}

// The least cases of a child: a number, or C4.5's share of the mean class within bounds.
function leastCases({ min_cases: least }, run) {
  const ofMean = () => (limits.c45Share * run.cases) / words.classes.length;
  return (typeof least === "number" ? least : Math.max(Math.min(ofMean(), least.most), least.least)) - limits.slack;
}
const scoreIfEnough = (sides, least) => (Math.min(casesOf(sides[0]), casesOf(sides[1])) >= least ? score(sides) : -Infinity);

// The score of each cut of a run, whose values may be in another order; -Infinity where a side has too few cases.
function cutsOf(run, least, order = null) {
  const found = new Float64Array(Math.max(run.values.length - 1, 0));
  const sides = [noSums(), run.whole.slice()];
  for (let cut = 0; cut < found.length; cut++) {
    const start = (order ? order[cut] : cut) * nSums;
    add(sides[0], run.sums, start);
    add(sides[1], run.sums, start, -1);
    found[cut] = scoreIfEnough(sides, least);
  }
  return { scores: found, below: firstBest(found), order };
}

// The sums of both sides, given which places of a run are on the left.
function inTwo(run, isLeft) {
  const sides = [noSums(), noSums()];
  run.values.forEach((_, place) => add(sides[isLeft(place) ? 0 : 1], run.sums, place * nSums));
  return sides;
}

// The threshold after a place of a run: midway between two values, or the largest one observed up to there.
function thresholdAfter({ feature, values: codes }, below, where) {
  const { values } = train.columns[feature];
  const [lower, upper] = [codes[below], codes[below + 1]].map((code) => (values ? values[code] : code));
  const middle = lower / 2 + upper / 2;
  const at = lower <= middle && middle < upper ? middle : lower;
  let code = codes[below + 1];
  while (where === "observed" && values?.[code] > at) code -= 1;
  return { type: "Threshold", feature, at: where === "observed" && values ? values[code] : at };
}

// Values in an order, and cut in two; the best cut of all orders.
function bestOrder(run, least) {
  const cutsIn = response.orders().map((figure) => {
    const keys = run.values.map((_, place) => figure(sumsOf(run, place)));
    return cutsOf(run, least, [...keys.keys()].sort((one, other) => keys[one] - keys[other]));
  });
  const bests = cutsIn.map((cuts) => cuts.scores[cuts.below] ?? -Infinity);
  const { order, below } = cutsIn[Math.max(firstBest(bests), 0)];
  return { score: Math.max(...bests), isInside: (place) => order.indexOf(place) <= below };
}

// The best of all divisions in two, of which the first value is always in the first part.
function bestOfAllWays(run, least) {
  const others = run.values.length - 1;
  const isIn = (way) => (place) => place === 0 || !((way >> (others - place)) & 1);
  const found = Array.from({ length: 2 ** others - 1 }, (_, number) => scoreIfEnough(inTwo(run, isIn(number + 1)), least));
  return { score: Math.max(...found), isInside: isIn(firstBest(found) + 1) };
}

// By splitter, the best split of a run: its score, the split, the sums of its children, and for numeric features all cuts.
const splitters = {
  "splitters.threshold": (run, own) => {
    const cuts = cutsOf(run, leastCases(own, run));
    const bits = own.mdl ? Math.log2(cuts.scores.filter((score) => score > -Infinity).length) / run.cases : 0;
    if (cuts.below < 0 || (own.mdl && cuts.scores[cuts.below] - bits <= limits.tie)) return null;
    cuts.splitAt = (below) => thresholdAfter(run, below, own.at);
    cuts.childrenAt = (below) => inTwo(run, (place) => place <= below);
    const [split, children] = [cuts.splitAt(cuts.below), cuts.childrenAt(cuts.below)];
    return { score: cuts.scores[cuts.below] - bits, split, children, cuts };
  },
  "splitters.multiway": (run, own) => {
    const present = run.values.map((_, place) => sumsOf(run, place));
    if (present.filter((sums) => casesOf(sums) >= leastCases(own, run)).length < 2) return null;
    const values = own.empty ? words.values[run.feature].map((_, code) => code) : run.values;
    const children = values.map((value) => present[run.values.indexOf(value)] ?? noSums());
    return { score: score(present), split: { type: "Multiway", feature: run.feature, values }, children };
  },
  "splitters.subset": (run, own) => {
    const tryAll = !response.hasBestOrder && run.values.length <= own.exact;
    const found = (tryAll ? bestOfAllWays : bestOrder)(run, leastCases(own, run));
    if (found.score === -Infinity) return null;
    const isLeft = (place) => found.isInside(place) === found.isInside(0); // the first child has the first value
    const members = run.values.filter((_, place) => isLeft(place));
    return { score: found.score, split: { type: "Subset", feature: run.feature, members }, children: inTwo(run, isLeft) };
  },
};

// With gain, gain ratio and p-value; rows without a value count as a child in the split information.
function bestSplit(part, feature) {
  const run = runOf(part, feature);
  const own = policy.splits.find(({ type }) => (type === "splitters.threshold") === (words.kinds[feature] !== "nominal"));
  const found = run.values.length > 1 && own ? splitters[own.type](run, own) : null;
  if (!found) return { feature, split: null, children: [], score: -Infinity, gain: 0 };
  const information = run.share * splitInformation(found.children) + entropy([run.share, 1 - run.share], 1);
  const figures = { gain: response.gain(found.children) * run.share, pValue: response.pValue(found.children), information };
  return { feature, ...found, ...figures, score: found.score * run.share, ratio: ratio(figures.gain, information) };
}
