"use strict";
// What the builder computes, in chapters: the table, sums of rows, scores, the best splits, trees, pruning, all rows. It needs no page
// but the data in it. A node is { part, split, children } and never changes; a part is a set of rows, the weight of each, their sums.

// ---- The table that Python wrote
const given = JSON.parse(document.getElementById("given").textContent);
const { policy, words, rule, keyBits, limits } = given;
const ofClasses = given.line === null;
const [nClasses, nSums] = [words.classes.length, ofClasses ? words.classes.length : 2];

function decoded({ n, columns, target, weights, unit, counts }) {
  const buffer = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const floats = (text) => new Float64Array(text ? buffer(text) : new Float64Array(n).fill(1));
  const codes = (bytes) => (bytes.byteLength === n ? new Int8Array(bytes) : new Int16Array(bytes));
  return {
    rows: Int32Array.from({ length: n }, (_, row) => row),
    weights: floats(weights),
    times: floats(counts && weights), // how many equal cases a row stands for
    unit, // of the parts of a case
    target: floats(target),
    seen: floats(target),
    columns: columns.map((each) => ({ codes: codes(buffer(each.codes)), values: each.values && floats(each.values) })),
    children: new WeakMap(),
  };
}
const [train, test] = [given.train, given.test].map((table) => table && decoded(table));
// The number that is so many units above the smallest one: sums of numbers count units. Answers are compared with what is `seen`.
const numberAt = (units) => (given.line[0] + given.line[1] * units) / given.line[2];
train.seen = ofClasses ? train.target : train.target.map(numberAt);

// ---- Sums of rows
function total(numbers) {
  let sum = 0;
  for (let place = 0; place < numbers.length; place++) sum += numbers[place];
  return sum;
}
function add(sums, more, start = 0, times = 1) {
  for (let place = 0; place < nSums; place++) sums[place] += times * more[start + place];
  return sums;
}
const noSums = () => new Float64Array(nSums);
const casesOf = (sums) => (ofClasses ? total(sums) : sums[0]);
function partOf(rows, weights, depth, above) {
  const part = { rows, weights, depth, cases: total(weights), sums: noSums(), risk: 0 };
  const over = (sum) => rows.forEach((row, place) => sum(train.target[row], weights[place]));
  if (ofClasses) {
    over((label, weight) => (part.sums[label] += weight));
    part.risk = part.cases - Math.max(...part.sums);
  } else {
    const first = train.target[rows[0]]; // from which equal numbers differ by exactly 0
    over((number, weight) => add(part.sums, [weight, weight * (number - first)]));
    const mean = first + part.sums[1] / part.cases;
    over((number, weight) => (part.risk += weight * (number - mean) ** 2));
    part.sums[1] = mean * part.cases;
    part.centre = Math.floor(mean);
  }
  part.whole = part.cases > 0 ? part.sums : above.whole; // a child without cases answers as the nearest node above that has some
  part.answer = answerOf(part.whole);
  return part;
}
function answerOf(sums) {
  const most = Math.max(...sums);
  return ofClasses ? sums.findIndex((count) => count >= most - limits.rounding * most) : numberAt(sums[1] / sums[0]);
}

// The known values of a feature in a part, in order, with the sums of each; numbers count from the part's centre.
function runOf(part, feature) {
  const { codes } = train.columns[feature];
  // Code and place in one number, since the browser sorts numbers fast. `tree_builder.py` sees to it that both have few enough bits.
  const keys = new Uint32Array(part.rows.length);
  const mostPlaces = 2 ** keyBits;
  let known = 0;
  part.rows.forEach((row, place) => codes[row] >= 0 && (keys[known++] = codes[row] * mostPlaces + place));
  const run = { feature, values: [], sums: new Float64Array(known * nSums), whole: noSums() };
  let [start, last] = [-nSums, -1];
  for (const key of keys.subarray(0, known).sort()) {
    if (last !== key >>> keyBits) {
      run.values.push((last = key >>> keyBits));
      start += nSums;
    }
    const place = key & (mostPlaces - 1);
    const weight = part.weights[place];
    const value = train.target[part.rows[place]];
    run.sums[start + (ofClasses ? value : 0)] += weight;
    if (!ofClasses) run.sums[start + 1] += weight * (value - part.centre);
  }
  run.values.forEach((_, place) => add(run.whole, run.sums, place * nSums));
  run.cases = casesOf(run.whole);
  run.share = known === part.rows.length ? 1 : run.cases / part.cases;
  return run;
}
const sumsOf = (run, place) => run.sums.subarray(place * nSums, (place + 1) * nSums);

// ---- Scores of children, by their sums
function sumOver(sums, cases, term) {
  let sum = 0;
  for (let place = 0; place < sums.length; place++) if (sums[place] > 0) sum += term(sums[place] / cases);
  return sum;
}
const impurities = {
  "criteria.entropy": (sums, cases) => Math.abs(sumOver(sums, cases, (share) => share * Math.log2(share))),
  "criteria.gini": (sums, cases) => sumOver(sums, cases, (share) => share * (1 - share)),
  "criteria.misclassification": (sums, cases) => 1 - Math.max(...sums) / cases,
};
const [entropy, impurity] = [impurities["criteria.entropy"], impurities[policy.impurity.type]];
// The decrease in impurity; of numbers, in their variance, as a share of that of all rows.
const inAll = noSums(); // made once, since a table may have a hundred thousand cuts
function gain(children) {
  inAll.fill(0);
  for (const sums of children) add(inAll, sums);
  const cases = casesOf(inAll);
  let sum = 0;
  for (const sums of children) {
    const own = casesOf(sums);
    if (own > 0) sum += (own / cases) * (ofClasses ? impurity(sums, own) : (sums[1] / own - inAll[1] / cases) ** 2);
  }
  if (!ofClasses) return sum * scale;
  const decrease = impurity(inAll, cases) - sum;
  return decrease <= 0 && decrease > -limits.rounding ? 0 : decrease;
}
const splitInformation = (children) => entropy(children.map(casesOf), total(children.map(casesOf)));
const ratio = (one, other) => (other > 0 ? one / other : 0);
const scores = { "criteria.gain": gain, "criteria.gain_ratio": (children) => ratio(gain(children), splitInformation(children)) };
const score = scores[policy.score.type];
// The probability of Pearson's statistic, the sum of (observed - expected)^2 / expected, if split and class are independent.
function pValue(children) {
  const present = children.filter((sums) => casesOf(sums) > 0);
  const whole = present.reduce((sums, more) => add(sums, more), noSums());
  const expected = (sums, label) => (casesOf(sums) * whole[label]) / total(whole);
  const term = (sums) => (count, label) => (whole[label] > 0 ? (count - expected(sums, label)) ** 2 / expected(sums, label) : 0);
  const freedom = (present.length - 1) * (whole.filter((count) => count > 0).length - 1);
  return upperTail(freedom / 2, total(present.map((sums) => total(sums.map(term(sums))))) / 2);
}
// The upper tail of chi-squared: a series, or where x is large a continued fraction (Abramowitz & Stegun 6.5.29 and 6.5.31).
function upperTail(a, x) {
  if (a <= 0 || x <= 0) return 1;
  let logGamma = a % 1 ? Math.log(Math.PI) / 2 : 0;
  for (let factor = a - 1; factor > 0; factor--) logGamma += Math.log(factor);
  const first = Math.exp(a * Math.log(x) - x - logGamma);
  let [term, sum, fraction] = [1 / a, 1 / a, x + 401 - a];
  for (let next = a + 1; term > sum * 2 ** -54 && x < a + 1; next++) sum += term *= x / next;
  for (let n = 200; n > 0; n--) fraction = x + 2 * n - 1 - a - (n * (n - a)) / fraction;
  return x < a + 1 ? Math.max(0, 1 - first * sum) : first / fraction;
}

// ---- The best split of each feature
const leastTied = (best) => best - limits.tie * (ofClasses ? 1 : Math.abs(best));
function firstBest(numbers) {
  const most = numbers.reduce((one, other) => Math.max(one, other), -Infinity);
  return most === -Infinity ? -1 : numbers.findIndex((number) => number >= leastTied(most));
}
function leastCases({ min_cases: least }, run) {
  return (typeof least === "number" ? least : Math.max(Math.min((limits.c45Share * run.cases) / nClasses, least.most), least.least)) - limits.slack;
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
function inTwo(run, isLeft) {
  const sides = [noSums(), noSums()];
  run.values.forEach((_, place) => add(sides[isLeft(place) ? 0 : 1], run.sums, place * nSums));
  return sides;
}
function thresholdAfter({ feature, values: codes }, below, where) {
  const { values } = train.columns[feature];
  const [lower, upper] = [codes[below], codes[below + 1]].map((code) => (values ? values[code] : code));
  const middle = lower / 2 + upper / 2;
  const at = lower <= middle && middle < upper ? middle : lower;
  let code = codes[below + 1];
  while (where === "observed" && values?.[code] > at) code -= 1;
  return { type: "Threshold", feature, at: where === "observed" && values ? values[code] : at };
}
// Values in the order of a class's share, or of the mean, and cut in two; of more than two classes, the best of all orders.
function bestOrder(run, least) {
  const labels = ofClasses ? [...Array(nClasses > 2 ? nClasses : 1).keys()] : [null];
  const figure = (sums, label) => (ofClasses ? sums[label] / casesOf(sums) : answerOf(sums));
  const ways = labels.map((label) => {
    const keys = run.values.map((_, place) => figure(sumsOf(run, place), label));
    return cutsOf(run, least, [...keys.keys()].sort((one, other) => keys[one] - keys[other]));
  });
  const bests = ways.map((cuts) => cuts.scores[cuts.below] ?? -Infinity);
  const { order, below } = ways[Math.max(firstBest(bests), 0)];
  return { score: Math.max(...bests), isInside: (place) => order.indexOf(place) <= below };
}
function bestOfAllWays(run, least) {
  const others = run.values.length - 1;
  const isIn = (way) => (place) => place === 0 || !((way >> (others - place)) & 1);
  const found = Array.from({ length: 2 ** others - 1 }, (_, number) => scoreIfEnough(inTwo(run, isIn(number + 1)), least));
  return { score: Math.max(...found), isInside: isIn(firstBest(found) + 1) };
}

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
    const isFew = ofClasses && nClasses > 2 && run.values.length <= own.exact;
    const found = (isFew ? bestOfAllWays : bestOrder)(run, leastCases(own, run));
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
  const figures = { gain: gain(found.children) * run.share, pValue: ofClasses ? pValue(found.children) : NaN, information };
  return { feature, ...found, ...figures, score: found.score * run.share, ratio: ratio(figures.gain, information) };
}
const choices = {
  "splitters.by_score": (found) => found.map((each) => each.score),
  "splitters.by_gain_ratio": (found, { slack }) => {
    const few = found.filter((each) => each.split && !given.many.includes(each.feature));
    const mean = few.length ? total(few.map((each) => each.score)) / few.length : Infinity;
    const figures = found.map((each) => (each.split && each.score >= mean - slack ? ratio(each.score, each.information) : 0));
    return figures.map((figure) => (figure > limits.tie ? figure : -Infinity));
  },
};

// All features at a part, in the order of `scores`; and the split that the policy chooses, null where it stops.
function searched(part) {
  if (part.found) return part.found;
  const listed = words.features.map((_, feature) => bestSplit(part, feature));
  const figures = choices[policy.choose.type](listed, policy.choose);
  const most = Math.max(...figures);
  const first = figures.findIndex((figure) => figure > -Infinity && figure >= most - limits.tie);
  const rounded = (number) => (Number.isFinite(number) ? Math.round(number * 1e9) : number);
  const keys = listed.map((each, number) => [number === first, rounded(figures[number]), rounded(each.score), -number]);
  const key = (one, other) => [0, 1, 2, 3].find((each) => keys[one][each] !== keys[other][each]);
  const order = [...figures.keys()].sort((one, other) => (one === other ? 0 : keys[other][key(one, other)] - keys[one][key(one, other)]));
  const best = listed[firstBest(figures)];
  part.found = { features: order.map((number) => listed[number]), choice: best && !closes(policy.stop, part, best) ? best : null };
  return part.found;
}
const closes = (stop, part, best) => rules[stop.type](part, best, stop);
const rules = {
  "stop.pure": (part) => (ofClasses ? Math.max(...part.sums) >= part.cases : part.risk <= 0),
  "stop.no_gain": (_, best) => best.gain <= (ofClasses ? limits.tie : 0),
  "stop.max_depth": (part, _, { limit }) => part.depth >= limit,
  "stop.min_rows": (part, _, { n }) => part.cases < n,
  "stop.min_best_child": (_, best, { n }) => Math.min(...best.children.map(casesOf)) < n,
  "stop.min_gain": (_, best, { bits }) => best.gain < leastTied(bits),
  "stop.min_impurity_decrease": (part, best, { least, cases }) => (best.gain * part.cases) / (cases || 1) < leastTied(least),
  "stop.not_significant": (_, best, { alpha }) => best.pValue > alpha,
  "stop.any_of": (part, best, { rules: all }) => all.some((each) => closes(each, part, best)),
  "stop.all_of": (part, best, { rules: all }) => all.every((each) => closes(each, part, best)),
  "stop.not_": (part, best, { rule: own }) => !closes(own, part, best),
};

// ---- Trees
const leafOf = (part) => ({ part, split: null, children: [] });

// The function from a row to the number of its child, -1 for a row that the split has no answer for.
function childIn(table, split) {
  if (table.children.has(split)) return table.children.get(split);
  const { codes, values } = table.columns[split.feature];
  const places = new Map((split.values ?? split.members)?.map((code, place) => [code, split.members ? 0 : place]));
  const isLow = values ? (code) => values[code] <= split.at : (code) => code <= split.at;
  const ofCode = split.type === "Threshold" ? (code) => (isLow(code) ? 0 : 1) : (code) => places.get(code) ?? (split.members ? 1 : -1);
  const child = (row) => (codes[row] < 0 ? -1 : ofCode(codes[row]));
  table.children.set(split, child);
  return child;
}
// The share that each child gets of a row without an answer, by the cases of the children.
function sharesBy(name, sizes) {
  const most = Math.max(...sizes);
  if (name === "weighted") return sizes.map((size) => (most > 0 ? size / total(sizes) : 1 / sizes.length));
  return sizes.map((_, place) => +(name === "all_routes" || (name === "heaviest" && place === sizes.indexOf(most))));
}

// The rows and weights of each child. Rows without an answer are divided by `sizes`, or else by the cases with an answer.
function divided({ rows, weights }, split, n, table, by, sizes = null) {
  const child = childIn(table, split);
  const parts = Array.from({ length: n }, () => ({ rows: [], weights: [] }));
  const put = (part, row, weight) => part.rows.push(row) && part.weights.push(weight);
  const lost = [];
  rows.forEach((row, place) => (child(row) < 0 ? lost.push(place) : put(parts[child(row)], row, weights[place])));
  const shares = lost.length ? sharesBy(by, sizes ?? parts.map((part) => total(part.weights))) : [];
  for (const place of lost) {
    // Multiples of a power of two add up exactly; what is left of a case goes to the first child with the largest share.
    const times = table.times[rows[place]];
    const own = shares.map((share) => Math.floor((share * weights[place]) / times / table.unit) * table.unit);
    own[shares.indexOf(Math.max(...shares))] += weights[place] / times - total(own);
    own.forEach((weight, number) => weight > 0 && put(parts[number], rows[place], weight * times));
  }
  return parts;
}
function branchOf(part, split) {
  const leaf = ({ rows, weights }) => leafOf(partOf(Int32Array.from(rows), Float64Array.from(weights), part.depth + 1, part));
  return { part, split, children: divided(part, split, split.values?.length ?? 2, train, given.divide).map(leaf) };
}
// Each node after its parent, level by level.
function levelOrder(root) {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.children);
  return nodes;
}
const leavesOf = (root) => levelOrder(root).filter(({ split }) => !split).length;
const nodeAt = (root, path) => path.reduce((node, child) => node.children[child], root);
function replaced(root, path, node) {
  const above = path.map((_, depth) => nodeAt(root, path.slice(0, depth)));
  return above.reduceRight((below, each, depth) => ({ ...each, children: each.children.with(path[depth], below) }), node);
}
// The tree of new nodes, which `made` makes of old ones and their new children.
function rebuilt(root, made) {
  const news = new Map();
  for (const node of levelOrder(root).reverse()) news.set(node, made(node, node.children.map((child) => news.get(child))));
  return news.get(root);
}
// A tree whose leaves the policy has grown.
function grown(node) {
  const open = [{ ...node }];
  for (const each of open) {
    const choice = each.split ? null : searched(each.part).choice;
    if (choice) Object.assign(each, branchOf(each.part, choice.split));
    each.children = each.children.map((child) => ({ ...child }));
    open.push(...each.children);
  }
  return open[0];
}

// The answer for a row; where a split has none, by the sums of all leaves that the row reaches, or the mean of their answers.
function answerOfRow(root, row, table) {
  let [node, child, mean] = [root, 0, 0];
  while (node.split && (child = childIn(table, node.split)(row)) >= 0) node = node.children[child];
  if (!node.split || rule === "stop_here") return node.part.answer;
  const [sums, spare, open] = [noSums(), noSums(), [[node, 1]]];
  for (const [{ part, split, children }, share] of open) {
    const own = split ? childIn(table, split)(row) : -1;
    const shares = own < 0 ? sharesBy(rule, children.map((each) => each.part.cases)) : children.map((_, place) => +(place === own));
    shares.forEach((each, place) => each > 0 && open.push([children[place], share * each]));
    if (split) continue;
    add(sums, part.sums, 0, rule === "weighted" ? share / (part.cases || 1) : 1);
    part.whole.forEach((sum, place) => (spare[place] = Math.max(spare[place], sum)));
    mean += share * part.answer;
  }
  return rule === "weighted" && !ofClasses ? mean : answerOf(casesOf(sums) > 0 ? sums : spare);
}
const lossOf = (answer, seen) => (ofClasses ? +(answer !== seen) : (answer - seen) ** 2);
// The share of right answers; of numbers, the root of the mean squared error.
function assessed(root, table) {
  let lost = 0;
  for (const row of table.rows) lost += table.weights[row] * lossOf(answerOfRow(root, row, table), table.seen[row]);
  return ofClasses ? 1 - lost / total(table.weights) : Math.sqrt(lost / total(table.weights));
}

// The tree as the JSON of `ftree.to_json`.
function written(root) {
  const nodes = levelOrder(root);
  const columns = ofClasses ? words.classes.map((_, label) => nodes.map(({ part }) => part.sums[label])) : sumsOfNumbers(nodes);
  const splits = ["Threshold", "Multiway", "Subset"].flatMap((type) => {
    const own = [...nodes.keys()].filter((number) => nodes[number].split?.type === type);
    const names = Object.keys(nodes[own[0]]?.split ?? {}).slice(1);
    const fields = Object.fromEntries(names.map((name) => [name, own.map((number) => nodes[number].split[name])]));
    return own.length ? [{ type, nodes: own, fields }] : [];
  });
  const counts = columns.map((column) => `[${column}]`);
  return `${given.head}{"n_children":[${nodes.map(({ children }) => children.length)}],"counts":[${counts}],"splits":${JSON.stringify(splits)}}}}`;
}
// The cases of nodes, and exact sums of numbers and squares, which are whole numbers of any size.
function sumsOfNumbers(nodes) {
  const sums = new Map();
  for (const { part, children } of nodes.toReversed()) {
    const own = [0n, 0n];
    const put = (number, square) => ((own[0] += number), (own[1] += square));
    for (const child of children) put(...sums.get(child.part));
    for (let place = 0; place < part.rows.length && !children.length; place++) {
      const [times, number] = [part.weights[place] / given.part, train.target[part.rows[place]]].map(BigInt);
      put(times * number, times * number * number);
    }
    sums.set(part, own);
  }
  return [nodes.map(({ part }) => part.cases), ...[0, 1].map((place) => nodes.map(({ part }) => sums.get(part)[place]))];
}

// ---- Pruning
const isAtMost = (one, other) => one - other <= Math.max(1e-10 * Math.max(Math.abs(one), Math.abs(other)), 1e-12); // but for rounding
// The trees of least cost for some alpha, the largest first. The best pruning of a branch cuts its weak links, in the order of their
// alphas; the branch itself is a link in place of those that are stronger than it. Equal links are cut in one step.
function weakestLinks(root) {
  const unit = (ofClasses ? root.part.cases : root.part.risk) || 1;
  const square = ofClasses ? 1 : (unit / root.part.cases) * (given.line[1] / given.line[2]) ** 2;
  const weak = new Map();
  for (const node of levelOrder(root).reverse()) {
    const links = node.children.flatMap((child) => weak.get(child)).sort((one, other) => one.alpha - other.alpha);
    let [lost, saved] = [node.children.length - 1, (node.part.risk - total(node.children.map(({ part }) => part.risk))) / unit];
    const alpha = () => (isAtMost(saved / lost, 0) ? 0 : saved / lost);
    for (; links.length && links.at(-1).alpha > alpha(); lost += links.pop().lost) saved += links.at(-1).alpha * links.at(-1).lost;
    weak.set(node, node.split ? [...links, { node, lost, alpha: alpha() }] : []);
  }
  const alphas = new Map(weak.get(root).map(({ node, alpha }) => [node, alpha]));
  const cutAt = (most) => rebuilt(root, (node, children) => (alphas.get(node) <= most ? leafOf(node.part) : { ...node, children }));
  const steps = [0, ...alphas.values()].filter((alpha, place, all) => place === all.length - 1 || !isAtMost(all[place + 1], alpha));
  return steps.map((most) => ({ alpha: most * square, get root() { return cutAt(most); } }));
}

// The smallest of the prunings that lose least on the test rows.
function reducedError(root) {
  const [cases, losses] = [new Map([[root, test]]), new Map()];
  for (const node of levelOrder(root).filter(({ split }) => split)) {
    const sizes = node.children.map(({ part }) => part.cases);
    divided(cases.get(node), node.split, sizes.length, test, "weighted", sizes).forEach((part, child) => cases.set(node.children[child], part));
  }
  const lossIn = ({ rows, weights }, answer) => total(Array.from(rows, (row, place) => weights[place] * lossOf(answer, test.seen[row])));
  const lost = (node) => lossIn(cases.get(node), node.part.answer);
  const unit = ofClasses ? 1 : lost(root) || 1;
  return rebuilt(root, (node, children) => {
    const asLeaf = lost(node) / unit;
    const below = total(node.children.map((child) => losses.get(child)));
    const isCut = !node.split || isAtMost(asLeaf, below);
    losses.set(node, isCut ? asLeaf : below);
    return isCut ? leafOf(node.part) : { ...node, children };
  });
}

// ---- All rows, in which gains of numbers are shares of the variance
const all = partOf(train.rows, train.weights, 0);
const scale = ofClasses || !all.risk ? 1 : all.cases / all.risk;
