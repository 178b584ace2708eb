// What depends on the target: each entry of `responses` has the same names. The *sums* of some rows are the cases of each class;
// or of numbers, the cases, and the sum of the numbers in units from a centre. Needs table (given, limits, total, train, words);
// in functions rows (scale), scores (decreaseInImpurity, pValue, varianceBetween), trees (exactSums).

// The number that is so many units above the smallest one.
const numberAt = (units) => (given.line[0] + given.line[1] * units) / given.line[2];

const responses = {
  classes: {
    seen: (label) => label,
    nSums: words.classes.length,
    cases: total,
    answer(sums) {
      const most = Math.max(...sums);
      return sums.findIndex((count) => count >= most - limits.rounding * most);
    },
    // The sums of a new part, and its risk: the cases that its answer gets wrong.
    sumUp(part) {
      part.rows.forEach((row, place) => (part.sums[train.target[row]] += part.weights[place]));
      part.risk = part.cases - Math.max(...part.sums);
    },
    // A row added to the sums that begin at a place.
    put: (sums, start, label, weight) => (sums[start + label] += weight),
    isPure: (part) => Math.max(...part.sums) >= part.cases,
    gain: (children) => decreaseInImpurity(children),
    pValue: (children) => pValue(children),
    // The least score that ties with the best one; and a gain that is none.
    leastTied: (best) => best - limits.tie,
    noGain: limits.tie,
    // The figures by which values are put in order, to divide them in two; and whether the best division is in such an order.
    orders: () => Array.from({ length: nSums > 2 ? nSums : 1 }, (_, label) => (sums) => sums[label] / total(sums)),
    hasBestOrder: words.classes.length <= 2,
    // What a wrong answer loses, and the accuracy, given what all answers lose.
    loss: (answer, seen) => +(answer !== seen),
    figure: (lost, cases) => 1 - lost / cases,
    isBetter: (one, other) => one > other,
    // Whether `weighted` answers are means of the leaves' answers.
    hasMeans: false,
    // Units of losses in pruning, and alpha in cases, given it as a share of the root's cost.
    costUnit: (root) => root.part.cases || 1,
    lossUnit: () => 1,
    alpha: (share) => share,
    columns: (nodes) => words.classes.map((_, label) => nodes.map(({ part }) => part.sums[label])),
  },
  numbers: {
    seen: numberAt,
    nSums: 2,
    cases: (sums) => sums[0],
    answer: (sums) => numberAt(sums[1] / sums[0]),
    // The risk is the sum of squared errors.
    sumUp(part) {
      const first = train.target[part.rows[0]]; // from which equal numbers differ by exactly 0
      part.rows.forEach((row, place) => add(part.sums, [part.weights[place], part.weights[place] * (train.target[row] - first)]));
      const mean = first + part.sums[1] / part.cases;
      part.rows.forEach((row, place) => (part.risk += part.weights[place] * (train.target[row] - mean) ** 2));
      part.sums[1] = mean * part.cases;
      part.centre = Math.floor(mean);
    },
    put(sums, start, number, weight, centre) {
      sums[start] += weight;
      sums[start + 1] += weight * (number - centre);
    },
    isPure: (part) => part.risk <= 0,
    gain: (children) => varianceBetween(children) * scale,
    pValue: () => NaN,
    leastTied: (best) => best - limits.tie * Math.abs(best),
    noGain: 0,
    orders: () => [(sums) => response.answer(sums)],
    hasBestOrder: true,
    loss: (answer, seen) => (answer - seen) ** 2,
    figure: (lost, cases) => Math.sqrt(lost / cases),
    isBetter: (one, other) => one < other,
    hasMeans: true,
    costUnit: (root) => root.part.risk || 1,
    lossUnit: (lost) => lost || 1,
    alpha: (share, root) => share * ((response.costUnit(root) / root.part.cases) * (given.line[1] / given.line[2]) ** 2),
    columns: (nodes) => exactSums(nodes),
  },
};
const response = responses[given.response];
train.seen = train.target.map(response.seen);

const { nSums, cases: casesOf } = response;
const noSums = () => new Float64Array(nSums);
function add(sums, more, start = 0, times = 1) {
  for (let place = 0; place < nSums; place++) sums[place] += times * more[start + place];
  return sums;
}
