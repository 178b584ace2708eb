"use strict";
// A tree that a person builds. The chapters: what Python wrote, sums of rows, the best splits, trees, pruning, state, drawing, events.
// A node is { part, split, children } and never changes; a part is a set of rows with the weight of each, and what they add up to.

// What Python wrote

const given = JSON.parse(document.getElementById("given").textContent);
const { policy, words, rule } = given;
const ofClasses = given.line === null;
const nClasses = words.classes.length;
const nSums = ofClasses ? nClasses : 2;
const train = tableOf(given.train);
const test = given.test && tableOf(given.test);
// Scores that differ by less are equal, and cases may fall short of a minimum by so much; as in Python.
const TIE = 1e-9;
const SLACK = 1e-6;

function tableOf({ n, columns, target, weights }) {
  const buffer = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const floats = (text) => new Float64Array(buffer(text));
  const codes = (data) => (data.byteLength === n ? new Int8Array(data) : new Int16Array(data));
  return {
    rows: Int32Array.from({ length: n }, (_, row) => row),
    weights: weights ? floats(weights) : new Float64Array(n).fill(1),
    target: floats(target),
    columns: columns.map((each) => ({ codes: codes(buffer(each.codes)), values: each.values && floats(each.values) })),
    children: new WeakMap(),
  };
}

// A number so many units above the smallest one, from which the sums of numbers count.
function numberAt(steps) {
  const [start, step, divisor] = given.line;
  return (start + step * steps) / divisor;
}
// What an answer is compared with: the class of a row, or its number.
train.seen = ofClasses ? train.target : train.target.map(numberAt);
if (test) test.seen = test.target;

// Sums of rows

function total(numbers) {
  let sum = 0;
  for (let place = 0; place < numbers.length; place++) sum += numbers[place];
  return sum;
}
function add(sums, more, start = 0, times = 1) {
  for (let place = 0; place < nSums; place++) sums[place] += times * more[start + place];
  return sums;
}
const casesOf = (sums) => (ofClasses ? total(sums) : sums[0]);
const noSums = () => new Float64Array(nSums);

function partOf(rows, weights, depth, above = null) {
  const part = { rows, weights, depth, cases: total(weights), sums: new Float64Array(nSums) };
  for (let place = 0; place < rows.length; place++) {
    if (ofClasses) part.sums[train.target[rows[place]]] += weights[place];
    else part.sums[1] += weights[place] * train.target[rows[place]];
  }
  if (!ofClasses) part.sums[0] = part.cases;
  // A child without cases answers as the nearest node above that has some.
  part.whole = part.cases > 0 ? part.sums : above.whole;
  part.answer = answerOf(part.whole);
  part.centre = ofClasses ? 0 : Math.floor(part.sums[1] / part.cases);
  part.risk = ofClasses ? part.cases - Math.max(...part.sums) : squaredError(part);
  return part;
}

function answerOf(sums) {
  if (!ofClasses) return numberAt(sums[1] / sums[0]);
  const most = Math.max(...sums);
  return sums.findIndex((count) => count >= most - 1e-12 * most);
}

function squaredError({ rows, weights, cases, sums }) {
  const mean = sums[1] / cases;
  let error = 0;
  for (let place = 0; place < rows.length; place++) error += weights[place] * (train.target[rows[place]] - mean) ** 2;
  return error;
}

// The known values of a feature among the rows of a part, in order, and the sums of each: a run, as Python calls it.
function runOf(part, feature) {
  const { codes } = train.columns[feature];
  const { rows, weights, centre } = part;
  const keys = new Uint32Array(rows.length); // code and place in one number, since numbers are sorted fast
  let known = 0;
  for (let place = 0; place < rows.length; place++) {
    const code = codes[rows[place]];
    if (code >= 0) keys[known++] = code * 32768 + place;
  }
  const run = { feature, values: [], sums: new Float64Array(known * nSums), whole: noSums() };
  let start = -nSums;
  let last = -1;
  for (const key of keys.subarray(0, known).sort()) {
    const place = key & 32767;
    if (key >>> 15 !== last) {
      run.values.push((last = key >>> 15));
      start += nSums;
    }
    const value = train.target[rows[place]];
    if (ofClasses) run.sums[start + value] += weights[place];
    else {
      run.sums[start] += weights[place];
      run.sums[start + 1] += weights[place] * (value - centre);
    }
  }
  run.values.forEach((_, place) => add(run.whole, run.sums, place * nSums));
  run.cases = casesOf(run.whole);
  run.share = known === rows.length ? 1 : run.cases / part.cases;
  return run;
}
const sumsOf = (run, place) => run.sums.subarray(place * nSums, (place + 1) * nSums);

// Impurities and scores of children

const impurities = {
  "criteria.entropy": (sums, cases) => {
    let bits = 0;
    for (let place = 0; place < sums.length; place++) if (sums[place] > 0) bits -= (sums[place] / cases) * Math.log2(sums[place] / cases);
    return Math.abs(bits);
  },
  "criteria.gini": (sums, cases) => {
    let mixed = 0;
    for (let place = 0; place < sums.length; place++) mixed += (sums[place] / cases) * (1 - sums[place] / cases);
    return mixed;
  },
  "criteria.misclassification": (sums, cases) => 1 - Math.max(...sums) / cases,
};
const entropy = impurities["criteria.entropy"];
const impurity = impurities[policy.impurity.type];

function gain(children) {
  const whole = noSums();
  for (const sums of children) add(whole, sums);
  const cases = casesOf(whole);
  let sum = 0;
  for (const sums of children) {
    const own = casesOf(sums);
    if (own > 0) sum += (own / cases) * (ofClasses ? impurity(sums, own) : (sums[1] / own - whole[1] / cases) ** 2);
  }
  if (!ofClasses) return sum * scale;
  const decrease = impurity(whole, cases) - sum;
  return decrease <= 0 && decrease > -1e-12 ? 0 : decrease;
}

function splitInformation(children) {
  const sizes = children.map(casesOf);
  return entropy(sizes, total(sizes));
}

const scores = {
  "criteria.gain": gain,
  "criteria.gain_ratio": (children) => {
    const information = splitInformation(children);
    return information > 0 ? gain(children) / information : 0;
  },
};
const score = scores[policy.score.type];

function pValue(children) {
  const present = children.filter((sums) => casesOf(sums) > 0);
  const whole = present.reduce((sums, more) => add(sums, more), noSums());
  const cases = total(whole);
  let statistic = 0;
  for (const sums of present) {
    for (let place = 0; place < nClasses; place++) {
      const expected = (casesOf(sums) * whole[place]) / cases;
      if (expected > 0) statistic += (sums[place] - expected) ** 2 / expected;
    }
  }
  return upperTail(((present.length - 1) * (whole.filter((count) => count > 0).length - 1)) / 2, statistic / 2);
}

// The regularized gamma function Q(a, x): a series, or where x is large a continued fraction (Abramowitz & Stegun 6.5.29, 6.5.31).
function upperTail(a, x) {
  if (a <= 0 || x <= 0) return 1;
  let logGamma = a % 1 ? Math.log(Math.PI) / 2 : 0;
  for (let factor = a - 1; factor > 0; factor--) logGamma += Math.log(factor);
  const first = Math.exp(a * Math.log(x) - x - logGamma);
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let next = a + 1; term > sum * 2 ** -54; next++) sum += term *= x / next;
    return Math.max(0, 1 - first * sum);
  }
  let fraction = x + 400 + 1 - a;
  for (let n = 200; n > 0; n--) fraction = x + 2 * n - 1 - a - (n * (n - a)) / fraction;
  return first / fraction;
}

// The best split of each feature

const leastTied = (best) => best - TIE * (ofClasses ? 1 : Math.abs(best));

function firstBest(numbers) {
  let most = -Infinity;
  for (const number of numbers) if (number > most) most = number;
  return most === -Infinity ? -1 : numbers.findIndex((number) => number >= leastTied(most));
}

function leastCases(least, run) {
  return typeof least === "number" ? least : Math.max(Math.min((0.1 * run.cases) / nClasses, least.most), least.least);
}

// The score of each cut of a run, whose values may be in another order; -Infinity where a side has too few cases.
function cutsOf(run, least, order = null) {
  const n = run.values.length;
  const found = { scores: new Float64Array(Math.max(n - 1, 0)).fill(-Infinity), n: 0 };
  const [left, right] = [noSums(), run.whole.slice()];
  for (let cut = 0; cut < n - 1; cut++) {
    const start = (order ? order[cut] : cut) * nSums;
    add(left, run.sums, start);
    add(right, run.sums, start, -1);
    if (Math.min(casesOf(left), casesOf(right)) < least - SLACK) continue;
    found.scores[cut] = score([left, right]);
    found.n += 1;
  }
  found.below = firstBest(found.scores);
  return found;
}

function inTwo(run, isLeft) {
  const sides = [noSums(), noSums()];
  run.values.forEach((_, place) => add(sides[isLeft(place) ? 0 : 1], run.sums, place * nSums));
  return sides;
}

function thresholdAfter(run, below, at) {
  const { values } = train.columns[run.feature];
  const [low, high] = [below, below + 1].map((place) => (values ? values[run.values[place]] : run.values[place]));
  const middle = low / 2 + high / 2;
  const between = low <= middle && middle < high ? middle : low;
  const observed = at === "observed" && values ? values[values.findLastIndex((value) => value <= between)] : between;
  return { type: "Threshold", feature: run.feature, at: observed };
}

// The split of some of a run's values from the others; the first child has the first value.
function subsetOf(run, isInside) {
  const isLeft = (place) => isInside(place) === isInside(0);
  const members = run.values.filter((_, place) => isLeft(place));
  return { split: { type: "Subset", feature: run.feature, members }, children: inTwo(run, isLeft) };
}

function bestOrder(run, least) {
  const figures = ofClasses
    ? Array.from({ length: nClasses > 2 ? nClasses : 1 }, (_, label) => (sums) => sums[label] / casesOf(sums))
    : [(sums) => numberAt(sums[1] / sums[0])];
  const ways = figures.map((figure) => {
    const keys = run.values.map((_, place) => figure(sumsOf(run, place)));
    const order = [...keys.keys()].sort((one, other) => keys[one] - keys[other]);
    return { order, ...cutsOf(run, least, order) };
  });
  const bests = ways.map(({ scores, below }) => (below < 0 ? -Infinity : scores[below]));
  const { order, below } = ways[Math.max(firstBest(bests), 0)];
  const inside = new Set(order.slice(0, below + 1));
  return { score: Math.max(...bests), isInside: (place) => inside.has(place) };
}

function bestOfAllWays(run, least) {
  const others = run.values.length - 1;
  const isIn = (way) => (place) => place === 0 || !((way >> (others - place)) & 1);
  const listed = Array.from({ length: 2 ** others - 1 }, (_, number) => {
    const sides = inTwo(run, isIn(number + 1));
    return Math.min(...sides.map(casesOf)) >= least - SLACK ? score(sides) : -Infinity;
  });
  return { score: Math.max(...listed, -Infinity), isInside: isIn(firstBest(listed) + 1) };
}

const splitters = {
  "splitters.threshold": (run, { min_cases, mdl, at }) => {
    const cuts = cutsOf(run, leastCases(min_cases, run));
    if (cuts.below < 0) return null;
    const own = cuts.scores[cuts.below] - (mdl ? Math.log2(cuts.n) / run.cases : 0);
    if (mdl && own <= TIE) return null;
    const splitAt = (below) => thresholdAfter(run, below, at);
    const childrenAt = (below) => inTwo(run, (place) => place <= below);
    return { score: own, cuts: { ...cuts, splitAt, childrenAt }, split: splitAt(cuts.below), children: childrenAt(cuts.below) };
  },
  "splitters.multiway": (run, { min_cases, empty }) => {
    const own = run.values.map((_, place) => sumsOf(run, place));
    const least = leastCases(min_cases, run) - SLACK;
    if (own.filter((sums) => casesOf(sums) >= least).length < 2) return null;
    const values = empty ? words.values[run.feature].map((_, code) => code) : run.values;
    const children = values.map((value) => own[run.values.indexOf(value)] ?? noSums());
    return { score: score(own), split: { type: "Multiway", feature: run.feature, values }, children };
  },
  "splitters.subset": (run, { min_cases, exact }) => {
    const few = ofClasses && nClasses > 2 && exact && run.values.length <= exact;
    const found = (few ? bestOfAllWays : bestOrder)(run, leastCases(min_cases, run));
    return found.score > -Infinity ? { score: found.score, ...subsetOf(run, found.isInside) } : null;
  },
};

function bestSplit(part, feature) {
  const run = runOf(part, feature);
  const own = policy.splits.find(({ type }) => (type === "splitters.threshold") === (words.kinds[feature] !== "nominal"));
  const found = run.values.length > 1 && own ? splitters[own.type](run, own) : null;
  if (!found) return { feature, split: null, children: [], score: -Infinity, gain: 0, ratio: 0, pValue: 1 };
  return { feature, ...found, score: found.score * run.share, ...measured(run, found.children) };
}

// Gain, gain ratio and p-value; rows without a value count as a child in the split information.
function measured({ share }, children) {
  const gained = gain(children) * share;
  const information = share * splitInformation(children) + entropy([share, 1 - share], 1);
  return { gain: gained, ratio: information > TIE ? gained / information : 0, pValue: ofClasses ? pValue(children) : NaN, information };
}

const choices = {
  "splitters.by_score": (found) => found.map((each) => each.score),
  "splitters.by_gain_ratio": (found, { slack }) => {
    const few = found.filter((each) => each.split && !given.many.includes(each.feature));
    const mean = few.length ? total(few.map((each) => each.score)) / few.length : Infinity;
    return found.map((each) => {
      const ratio = each.information > 0 ? each.score / each.information : 0;
      return each.split && each.score >= mean - slack && ratio > TIE ? ratio : -Infinity;
    });
  },
};

// All features at a part, in the order of `scores`; and the split that the policy chooses, null where it stops.
function searched(part) {
  if (part.found) return part.found;
  const listed = words.features.map((_, feature) => bestSplit(part, feature));
  const figures = choices[policy.choose.type](listed, policy.choose);
  const round = (number) => (Number.isFinite(number) ? Math.round(number * 1e9) : number);
  const first = figures.findIndex((figure) => figure > -Infinity && figure >= Math.max(...figures) - TIE);
  const keys = listed.map((each, number) => [number === first ? 1 : 0, round(figures[number]), round(each.score), -number]);
  const place = (one, other) => [0, 1, 2, 3].find((key) => keys[one][key] !== keys[other][key]) ?? 3;
  const order = [...figures.keys()].sort((one, other) => keys[other][place(one, other)] - keys[one][place(one, other)]);
  const best = listed[firstBest(figures)] ?? null;
  const choice = best && !closes(policy.stop, part, best) ? best : null;
  return (part.found = { features: order.map((number) => listed[number]), choice });
}

const rules = {
  "stop.pure": (part) => (ofClasses ? Math.max(...part.sums) >= part.cases : part.risk <= 0),
  "stop.no_gain": (_, best) => best.gain <= (ofClasses ? TIE : 0),
  "stop.max_depth": (part, _, { limit }) => part.depth >= limit,
  "stop.min_rows": (part, _, { n }) => part.cases < n,
  "stop.min_best_child": (_, best, { n }) => Math.min(...best.children.map(casesOf)) < n,
  "stop.min_gain": (_, best, { bits }) => best.gain < leastTied(bits),
  "stop.min_impurity_decrease": (part, best, { least, cases }) => (best.gain * part.cases) / (cases || 1) < leastTied(least),
  "stop.not_significant": (_, best, { alpha }) => best.pValue > alpha,
  "stop.any_of": (part, best, { rules }) => rules.some((each) => closes(each, part, best)),
  "stop.all_of": (part, best, { rules }) => rules.every((each) => closes(each, part, best)),
  "stop.not_": (part, best, { rule }) => !closes(rule, part, best),
};
const closes = (stop, part, best) => rules[stop.type](part, best, stop);

// Trees

const leafOf = (part) => ({ part, split: null, children: [] });

// The function from a row to the number of its child, -1 for a row without an answer.
function childIn(table, split) {
  if (table.children.has(split)) return table.children.get(split);
  const { codes, values } = table.columns[split.feature];
  const places = new Map((split.values ?? split.members)?.map((code, place) => [code, split.members ? 0 : place]));
  const other = split.members ? 1 : -1;
  const isLow = values ? (code) => values[code] <= split.at : (code) => code <= split.at;
  const ofCode = split.type === "Threshold" ? (code) => (isLow(code) ? 0 : 1) : (code) => places.get(code) ?? other;
  const child = (row) => (codes[row] < 0 ? -1 : ofCode(codes[row]));
  table.children.set(split, child);
  return child;
}

// How many of a split's children get a row without an answer, and in which shares.
function sharesBy(name, sizes) {
  const most = Math.max(...sizes);
  if (name === "weighted") return sizes.map((size) => (most > 0 ? size / total(sizes) : 1 / sizes.length));
  return sizes.map((_, place) => (name === "all_routes" ? 1 : name === "heaviest" ? +(place === sizes.indexOf(most)) : 0));
}

// The rows and weights of each child; `sizes` are those by which rows without an answer are divided, by default those with one.
function divided({ rows, weights }, split, n, table, by, sizes = null) {
  const child = childIn(table, split);
  const parts = Array.from({ length: n }, () => ({ rows: [], weights: [] }));
  const lost = [];
  for (let place = 0; place < rows.length; place++) {
    const number = child(rows[place]);
    if (number < 0) lost.push(place);
    else {
      parts[number].rows.push(rows[place]);
      parts[number].weights.push(weights[place]);
    }
  }
  const shares = lost.length ? sharesBy(by, sizes ?? parts.map((part) => total(part.weights))) : [];
  for (const place of lost) {
    // Multiples of a power of two add up exactly; what is left goes to the first child with the largest share.
    const own = shares.map((share) => (share % 1 ? Math.floor((share * weights[place]) / given.unit) * given.unit : share * weights[place]));
    own[shares.indexOf(Math.max(...shares))] += weights[place] - total(own);
    own.forEach((weight, number) => {
      if (weight <= 0) return;
      parts[number].rows.push(rows[place]);
      parts[number].weights.push(weight);
    });
  }
  return parts;
}

function branchOf(part, split) {
  const n = split.values?.length ?? 2;
  const below = divided(part, split, n, train, given.divide);
  const children = below.map((own) => leafOf(partOf(Int32Array.from(own.rows), Float64Array.from(own.weights), part.depth + 1, part)));
  return { part, split, children };
}

// Each node after its parent, level by level.
function levelOrder(root) {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.children);
  return nodes;
}

const nodeAt = (root, path) => path.reduce((node, child) => node.children[child], root);

function replaced(root, path, node) {
  const above = path.map((_, depth) => nodeAt(root, path.slice(0, depth)));
  return above.reduceRight((below, each, depth) => ({ ...each, children: each.children.map((child, number) => (number === path[depth] ? below : child)) }), node);
}

// The tree with new nodes for some, which `changed` finds children first; parts that stay are shared.
function rebuilt(root, changed) {
  const made = new Map();
  for (const node of levelOrder(root).reverse()) made.set(node, changed(node, node.children.map((child) => made.get(child))));
  return made.get(root);
}

// The policy's tree below a node, whose own splits stay.
function grown(node) {
  const root = { ...node };
  const open = [root];
  for (const each of open) {
    const choice = each.split ? null : searched(each.part).choice;
    if (choice) Object.assign(each, branchOf(each.part, choice.split));
    each.children = each.children.map((child) => ({ ...child }));
    open.push(...each.children);
  }
  return root;
}

// What a row is answered that a split has no answer for: by the sums of all leaves that it reaches, or the mean of their answers.
function answerOfRow(node, row, table) {
  const [sums, spare, ends] = [noSums(), noSums(), [[node, 1]]];
  let mean = 0;
  for (const [each, share] of ends) {
    const child = each.split ? childIn(table, each.split)(row) : -1;
    const sizes = child < 0 && each.split && rule !== "stop_here" ? each.children.map(({ part }) => part.cases) : [];
    if (child >= 0) ends.push([each.children[child], share]);
    else if (sizes.length) sharesBy(rule, sizes).forEach((own, place) => own > 0 && ends.push([each.children[place], share * own]));
    else {
      add(sums, each.part.sums, 0, rule === "weighted" ? share / (each.part.cases || 1) : 1);
      each.part.whole.forEach((sum, place) => (spare[place] = Math.max(spare[place], sum)));
      mean += share * each.part.answer;
    }
  }
  return rule === "weighted" && !ofClasses ? mean : answerOf(casesOf(sums) > 0 ? sums : spare);
}

// The share of right answers, or the root of the mean squared error.
function assessed(root, table) {
  let lost = 0;
  const lose = (answer, row) => (lost += table.weights[row] * (ofClasses ? +(answer !== table.seen[row]) : (answer - table.seen[row]) ** 2));
  const open = [[root, table.rows]];
  for (const [node, rows] of open) {
    if (!node.split) {
      for (const row of rows) lose(node.part.answer, row);
      continue;
    }
    const below = node.children.map(() => []);
    const child = childIn(table, node.split);
    for (const row of rows) {
      const number = child(row);
      if (number >= 0) below[number].push(row);
      else lose(answerOfRow(node, row, table), row);
    }
    node.children.forEach((each, number) => open.push([each, below[number]]));
  }
  const mean = lost / total(table.weights);
  return ofClasses ? 1 - mean : Math.sqrt(mean);
}

// The tree as JSON, as `ftree.to_json` writes it. The sums of numbers are whole numbers of any size.
function written(root) {
  const nodes = levelOrder(root);
  const columns = ofClasses ? words.classes.map((_, label) => nodes.map((node) => node.part.sums[label])) : sumsOfNumbers(nodes);
  const types = [...new Set(nodes.filter((node) => node.split).map((node) => node.split.type))];
  const splits = types.map((type) => {
    const own = nodes.flatMap((node, number) => (node.split?.type === type ? [number] : []));
    const names = Object.keys(nodes[own[0]].split).filter((name) => name !== "type");
    return { type, nodes: own, fields: Object.fromEntries(names.map((name) => [name, own.map((number) => nodes[number].split[name])])) };
  });
  const counts = columns.map((column) => `[${column.join(",")}]`).join(",");
  const children = JSON.stringify(nodes.map((node) => node.children.length));
  return `${given.head}{"n_children":${children},"counts":[${counts}],"splits":${JSON.stringify(splits)}}}}`;
}

function sumsOfNumbers(nodes) {
  const sums = new Map();
  for (const { part, children } of nodes.toReversed()) {
    const own = [0n, 0n];
    for (const child of children) sums.get(child.part).forEach((sum, place) => (own[place] += sum));
    for (let place = 0; !children.length && place < part.rows.length; place++) {
      const [times, number] = [BigInt(part.weights[place] / given.part), BigInt(train.target[part.rows[place]])];
      own[0] += times * number;
      own[1] += times * number * number;
    }
    sums.set(part, own);
  }
  return [nodes.map(({ part }) => part.cases), ...[0, 1].map((place) => nodes.map(({ part }) => sums.get(part)[place]))];
}

// Pruning

const isSame = (one, other) => Math.abs(one - other) <= Math.max(1e-10 * Math.max(Math.abs(one), Math.abs(other)), 1e-12);

// The trees of least cost for some alpha, the largest first: each step cuts the weakest links.
function weakestLinks(root) {
  const unit = (ofClasses ? root.part.cases : root.part.risk) || 1;
  const path = [{ alpha: 0, root }];
  while (path.at(-1).root.split) {
    const below = new Map();
    const alphas = new Map();
    for (const node of levelOrder(path.at(-1).root).reverse()) {
      const own = { risk: node.part.risk / unit, leaves: 1 };
      if (node.split) {
        const [risk, leaves] = ["risk", "leaves"].map((name) => total(node.children.map((child) => below.get(child)[name])));
        const alpha = (own.risk - risk) / (leaves - 1);
        alphas.set(node, alpha < 0 || isSame(alpha, 0) ? 0 : alpha);
        Object.assign(own, { risk, leaves });
      }
      below.set(node, own);
    }
    const least = [...alphas.values()].reduce((one, other) => Math.min(one, other));
    const isWeak = (node) => node.split && (alphas.get(node) <= least || isSame(alphas.get(node), least));
    const next = rebuilt(path.at(-1).root, (node, children) => (isWeak(node) ? leafOf(node.part) : { ...node, children }));
    if (isSame(least, path.at(-1).alpha)) path.pop();
    path.push({ alpha: least * (ofClasses ? 1 : unit / root.part.cases), root: next });
  }
  return path;
}

// The smallest of the prunings with the fewest errors on the test rows; of numbers, with the least squared error.
function reducedError(root) {
  const cases = new Map([[root, test]]);
  for (const node of levelOrder(root)) {
    if (!node.split) continue;
    const sizes = node.children.map((child) => child.part.cases);
    const below = divided(cases.get(node), node.split, sizes.length, test, "weighted", sizes);
    node.children.forEach((child, number) => cases.set(child, below[number]));
  }
  const losses = new Map();
  const unit = ofClasses ? 1 : lossOf(root.part.answer, test) || 1;
  const left = new Map();
  return rebuilt(root, (node, children) => {
    const asLeaf = lossOf(node.part.answer, cases.get(node)) / unit;
    const below = node.split ? total(node.children.map((child) => losses.get(child))) : asLeaf;
    const isCut = node.split && (asLeaf < below || isSame(asLeaf, below));
    losses.set(node, isCut ? asLeaf : below);
    left.set(node, isCut);
    return isCut ? leafOf(node.part) : { ...node, children };
  });
}

function lossOf(answer, { rows, weights }) {
  let loss = 0;
  for (let place = 0; place < rows.length; place++) {
    const seen = test.seen[rows[place]];
    loss += weights[place] * (ofClasses ? +(seen !== answer) : (seen - answer) ** 2);
  }
  return loss;
}

// State: the trees that were built, the one that is shown, the path of the selected node, which nodes are open

const state = { trees: [], now: -1, at: [], open: new Map(), feature: null, handedIn: false };
const shown = () => state.trees[state.now];
const selected = () => nodeAt(shown().root, state.at);

function show(tree, at, said) {
  state.trees.splice(++state.now, Infinity, tree);
  state.at = at;
  draw(said);
}

function move(step, said) {
  state.now += step;
  while (state.at.some((child, depth) => child >= nodeAt(shown().root, state.at.slice(0, depth)).children.length)) state.at.pop();
  draw(said);
}

function change(node, said, at = state.at) {
  show({ root: replaced(shown().root, state.at, node) }, at, said);
}

function take(split) {
  const branch = branchOf(selected().part, split);
  const next = branch.children.findIndex(({ part }) => searched(part).choice);
  change(branch, `Split: ${branch.children.map((_, child) => condition(split, child)).join("; ")}`, next < 0 ? state.at : [...state.at, next]);
}

// Words

const byId = (id) => document.getElementById(id);
const short = (number, digits = 3) => String(Number(number.toPrecision(digits)));

function exactly(number) {
  const near = Number(number.toPrecision(12));
  return String(near === Number(number.toPrecision(15)) ? near : number);
}

function valueText(feature, value) {
  if (words.times[feature]?.startsWith("date")) return new Date(value * 1000).toISOString().replace(/T00:00.*|\.000Z/, "").replace("T", " ");
  return exactly(value);
}

function condition(split, child) {
  const [name, values] = [words.features[split.feature], words.values[split.feature]];
  if (split.type === "Threshold") {
    const end = values.length ? values[Math.floor(split.at)] : valueText(split.feature, split.at);
    return `${name} ${child ? ">" : "<="} ${end}`;
  }
  const rest = () => values.flatMap((_, code) => (split.members.includes(code) ? [] : [code]));
  const codes = split.members ? (child ? rest() : split.members) : [split.values[child]];
  return codes.length === 1 ? `${name} = ${values[codes[0]]}` : `${name} in {${codes.map((code) => values[code]).join(", ")}}`;
}

const conditionsTo = (at) => at.map((child, depth) => condition(nodeAt(shown().root, at.slice(0, depth)).split, child));
const answerText = (answer) => (ofClasses ? words.classes[answer] : short(answer, 4));
const countsText = (sums) => Array.from(sums, (count, label) => `${short(count, 6)} ${words.classes[label]}`).join(", ");
const meanOf = (sums, centre) => numberAt(centre + sums[1] / sums[0]);
const figureText = (figure) => (figure === null ? "" : ofClasses ? `${(100 * figure).toFixed(1)} %` : short(figure, 4));
const leavesOf = (root) => levelOrder(root).filter((node) => !node.split).length;
const leavesText = (n) => `${n} ${n === 1 ? "leaf" : "leaves"}`;

function sumsText(sums, centre) {
  if (ofClasses) return countsText(sums);
  return sums[0] > 0 ? `${answerText(meanOf(sums, centre))} (${short(sums[0], 6)})` : "no cases";
}

// Drawing

function element(tag, properties = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) name.startsWith("on") ? (made[name] = value) : made.setAttribute(name, value);
  made.append(...inside);
  return made;
}
const button = (text, onclick, more = {}) => element("button", { type: "button", onclick, ...more }, text);
const numbersRange = () => (numbersRange.found ??= [train.seen.reduce((a, b) => Math.min(a, b)), train.seen.reduce((a, b) => Math.max(a, b))]);

// A bar of the classes' shares, or of a mean and its deviation in the range of all numbers.
function bar(sums, centre, spread = 0) {
  const parts = [];
  const piece = (start, length, shade) => parts.push(element("i", { style: `left:${100 * start}%;width:${100 * length}%;background:${shade}` }));
  const cases = casesOf(sums);
  if (ofClasses) sums.reduce((start, count, label) => (count && piece(start, count / cases, given.shades[label]), start + count / cases), 0);
  else if (cases > 0) {
    const [low, high] = numbersRange();
    const place = (number) => Math.min(Math.max((number - low) / (high - low || 1), 0), 1);
    const mean = meanOf(sums, centre);
    const shade = given.shades[Math.round((given.shades.length - 1) * place(mean))];
    if (spread) piece(place(mean - spread), place(mean + spread) - place(mean - spread), `color-mix(in srgb, ${shade} 35%, transparent)`);
    piece(0.94 * place(mean), 0.06, shade);
  }
  return element("span", { class: "bar", "aria-hidden": "true" }, ...parts);
}

const deviation = ({ risk, cases }) => (ofClasses ? 0 : (Math.sqrt(risk / cases) * given.line[1]) / given.line[2]);
const idOf = (path) => ["n", ...path].join("-");
const isOpen = (path) => state.open.get(idOf(path)) ?? path.length < state.depth;

// The rows of open branches. At first, as many levels are open as have few nodes.
function visibleRows() {
  let level = [shown().root];
  let n = 1;
  for (state.depth = 0; level.length && n <= 150; state.depth++) n += (level = level.flatMap((node) => node.children)).length;
  const rows = [];
  const open = [{ node: shown().root, path: [], text: words.target, of: 1 }];
  while (open.length) {
    const row = open.pop();
    rows.push(row);
    const below = row.node.children.map((node, child) => ({ node, path: [...row.path, child], text: condition(row.node.split, child), of: row.node.children.length }));
    if (isOpen(row.path)) open.push(...below.reverse());
  }
  return rows;
}

function treeRow({ node, path, text, of }) {
  const { part, split } = node;
  const whose = part.cases > 0 ? part.sums : noSums();
  const isSelected = idOf(path) === idOf(state.at);
  const figures = ofClasses && nClasses <= 3 ? [...part.sums].map((count) => short(count, 6)).join(" : ") : short(part.cases, 6);
  const place = { "aria-level": path.length + 1, "aria-setsize": of, "aria-posinset": (path.at(-1) ?? 0) + 1 };
  const properties = { role: "treeitem", id: idOf(path), tabindex: isSelected ? 0 : -1, style: `--depth:${Math.min(path.length, 30)}`, ...place };
  properties["aria-selected"] = isSelected;
  if (split) properties["aria-expanded"] = isOpen(path);
  const shade = ofClasses ? given.shades[part.answer] : "var(--frame)";
  const label = element("span", { class: "label", style: `--class:${shade}` }, answerText(part.answer));
  const next = split ? element("span", { class: "asks" }, `${words.features[split.feature]}?`) : label;
  return element(
    "div", { ...properties, title: `${text}\n${ofClasses ? countsText(part.sums) : sumsText(whose, 0)}` },
    element("span", { class: "twisty", "aria-hidden": "true" }), element("span", { class: "condition" }, text), next,
    element("span", { class: "figures" }, bar(whose, 0, deviation(part)), element("span", { class: "cases" }, figures)),
  );
}

function drawTree() {
  state.rows = visibleRows();
  byId("tree").replaceChildren(...state.rows.map(treeRow));
}

function drawScore() {
  const { root } = shown();
  shown().figures ??= [leavesOf(root), assessed(root, train), test && assessed(root, test)];
  const hidden = given.budget && !state.handedIn;
  const line = ([name, leaves, onTrain, onTest]) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, String(leaves)), element("td", {}, figureText(onTrain)), ...(test ? [element("td", {}, hidden ? "hidden" : figureText(onTest))] : []));
  byId("score").replaceChildren(...[["this tree", ...shown().figures], ...(hidden ? [] : given.others)].map(line));
  const [leaves, onTrain, onTest] = shown().figures;
  if (given.budget) {
    byId("hand-in").disabled = leaves > given.budget || state.handedIn;
    byId("budget").textContent = `${leaves} of at most ${leavesText(given.budget)}`;
  }
  return `${leavesText(leaves)}, ${figureText(onTrain)} on the training rows${test && !hidden ? `, ${figureText(onTest)} on the test rows` : ""}`;
}

function drawNode() {
  const { part, split } = selected();
  const { features, choice } = searched(part);
  byId("way").replaceChildren(...(state.at.length ? conditionsTo(state.at) : ["all rows"]).map((text) => element("li", {}, text)));
  byId("counts").textContent = ofClasses ? countsText(part.sums) : sumsText(part.whole, 0);
  byId("advice").textContent = choice ? `The policy splits by ${words.features[choice.feature]}.` : "The policy stops here.";
  byId("cut").disabled = !split;
  byId("features").replaceChildren(...features.flatMap((found) => featureRows(found, part, split)));
}

function featureRows(found, part, split) {
  const name = words.features[found.feature];
  if (!found.split) return [element("tr", { class: "none" }, element("th", { scope: "row" }, name), element("td", { colspan: 4 }, "no split"))];
  const isTaken = split?.feature === found.feature;
  const take_it = button(name, () => take(found.split), { class: "take", "aria-pressed": isTaken, title: condition(found.split, 0) });
  const isShown = state.feature === found.feature;
  const curve = found.cuts ? [button("cuts", () => lookAt(isShown ? null : found.feature), { class: "curves", "aria-expanded": isShown, "aria-label": `Cuts of ${name}` })] : [];
  const figures = [short(found.score), ...(ofClasses ? [short(found.pValue)] : [])].map((text) => element("td", {}, text));
  const cells = [element("th", { scope: "row" }, take_it, ...curve), ...figures, element("td", {}, division(found.split, found.children, part))];
  const row = element("tr", isTaken ? { class: "now" } : {}, ...cells);
  return isShown && found.cuts ? [row, element("tr", {}, element("td", { colspan: 4 }, curveOf(found, part)))] : [row];
}

// The children side by side, as wide as they have cases; screen readers read conditions and counts.
function division(split, children, part) {
  const texts = children.map((sums, child) => `${condition(split, child)}: ${sumsText(sums, part.centre)}`);
  const bars = children.map((sums) => element("span", { style: `flex-grow:${casesOf(sums)}` }, bar(sums, part.centre)));
  return element("span", { class: "division", title: texts.join("\n") }, ...bars, element("span", { class: "unseen" }, texts.join("; ")));
}

function lookAt(feature) {
  state.feature = feature;
  draw();
  document.querySelector(feature === null ? "#features button" : "#features input")?.focus();
}

// The scores of all cuts of a numeric feature. A slider, or a click, chooses one.
function curveOf({ feature, cuts }, part) {
  const listed = [...cuts.scores.keys()].filter((cut) => cuts.scores[cut] > -Infinity);
  const ends = listed.map((cut) => cuts.splitAt(cut).at);
  const [first, last, most] = [ends[0], ends.at(-1), listed.reduce((best, cut) => Math.max(best, cuts.scores[cut]), 0)];
  const x = (place) => (last > first ? 4 + (292 * (ends[place] - first)) / (last - first) : 150);
  const y = (place) => 84 - (76 * cuts.scores[listed[place]]) / (most || 1);
  const points = listed.map((_, place) => `${x(place).toFixed(1)},${y(place).toFixed(1)}`);
  const few = points.filter((point, place) => place === 0 || point.split(",")[0] !== points[place - 1].split(",")[0] || listed[place] === cuts.below);
  const picture = element("div", { class: "curve" });
  picture.innerHTML = `<svg viewBox="0 0 300 90" role="img" aria-label="Score of each cut"><polyline points="${few.join(" ")}" fill="none"/><circle r="4"/></svg>`;
  const slider = element("input", { type: "range", min: 0, max: listed.length - 1, value: listed.indexOf(cuts.below), "aria-label": `Cut of ${words.features[feature]}` });
  const says = element("output");
  const bars = element("div");
  const choose = () => {
    const [place, cut] = [Number(slider.value), listed[slider.value]];
    const split = cuts.splitAt(cut);
    picture.querySelector("circle").setAttribute("transform", `translate(${x(place)} ${y(place)})`);
    says.textContent = `${condition(split, 0)}, score ${short(cuts.scores[cut])}`;
    slider.setAttribute("aria-valuetext", says.textContent);
    bars.replaceChildren(division(split, cuts.childrenAt(cut), part));
  };
  picture.onclick = (event) => {
    const at = ((event.clientX - picture.getBoundingClientRect().left) / picture.clientWidth) * 300;
    slider.value = listed.reduce((best, _, place) => (Math.abs(x(place) - at) < Math.abs(x(best) - at) ? place : best), 0);
    choose();
  };
  slider.oninput = choose;
  choose();
  return element("div", { class: "cuts" }, picture, slider, says, bars, button("Split here", () => take(cuts.splitAt(listed[slider.value]))));
}

function drawPath() {
  if (!byId("pruning")?.open) return;
  const own = shown();
  Object.assign(own, { path: own.path ?? weakestLinks(own.root), step: own.step ?? 0 });
  byId("alpha").max = own.path.length - 1;
  byId("alpha").value = own.step;
  byId("stage").textContent = `alpha ${short(own.path[own.step].alpha)}, ${leavesText(leavesOf(own.path[own.step].root))}`;
  byId("alpha").setAttribute("aria-valuetext", byId("stage").textContent);
}

function draw(said = "") {
  const region = document.activeElement?.closest("#tree, #features")?.id;
  drawTree();
  const figures = drawScore();
  drawNode();
  drawPath();
  byId("undo").disabled = state.now === 0;
  byId("redo").disabled = state.now === state.trees.length - 1;
  byId("said").textContent = [said, figures].filter(Boolean).join(". ");
  if (region) document.querySelector(region === "tree" ? "#tree [tabindex='0']" : "#features button")?.focus();
}

// Events

function select(path) {
  state.at = path;
  draw();
}

function setOpen(path, open) {
  state.open.set(idOf(path), open);
  if (!open && idOf(state.at).startsWith(idOf(path))) state.at = path;
  draw();
}

function cut() {
  if (selected().split) change(leafOf(selected().part), "Cut to a leaf");
}

const presses = {
  undo: () => state.now > 0 && move(-1, "Undone"),
  redo: () => state.now < state.trees.length - 1 && move(1, "Redone"),
  cut,
  finish: () => change(grown(selected()), "The policy has finished the branch"),
  "finish-all": () => show({ root: grown(shown().root) }, state.at.slice(0, 0), "The policy has finished the tree"),
  "reduced-error": () => show({ root: reducedError(shown().root) }, [], "Pruned by the test rows"),
  copy: () => {
    const field = byId("json");
    field.hidden = false;
    field.value = written(shown().root);
    field.select();
    navigator.clipboard?.writeText(field.value).catch(() => document.execCommand("copy"));
    byId("said").textContent = "Copied. In Python, ft.from_json reads the text.";
  },
  "hand-in": () => {
    state.handedIn = true;
    draw();
    const [mine, best] = [shown().figures[2], given.others[0][3]];
    byId("said").textContent = `Handed in: ${figureText(mine)} of the hidden rows. The machine: ${figureText(best)}. ${mine > best ? "You win." : mine < best ? "The machine wins." : "A tie."}`;
  },
};
for (const [id, press] of Object.entries(presses)) byId(id)?.addEventListener("click", press);

const keys = {
  ArrowDown: (place) => state.rows[place + 1],
  ArrowUp: (place) => state.rows[place - 1],
  Home: () => state.rows[0],
  End: () => state.rows.at(-1),
  ArrowRight: (place, { node, path }) => (node.split && !isOpen(path) ? setOpen(path, true) : node.split && state.rows[place + 1]),
  ArrowLeft: (_, { node, path }) => (node.split && isOpen(path) ? setOpen(path, false) : path.length && { path: path.slice(0, -1) }),
  Delete: cut,
};

byId("tree").addEventListener("keydown", (event) => {
  if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const place = state.rows.findIndex(({ path }) => idOf(path) === idOf(state.at));
  const next = keys[event.key](place, state.rows[place]);
  if (next) select(next.path);
});

byId("tree").addEventListener("click", (event) => {
  const row = state.rows.find(({ path }) => idOf(path) === event.target.closest("[role=treeitem]")?.id);
  if (!row) return;
  byId(idOf(row.path)).focus();
  if (row.node.split && event.target.classList.contains("twisty")) setOpen(row.path, !isOpen(row.path));
  else select(row.path);
});

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.id === "json") return;
  event.preventDefault();
  presses[event.shiftKey ? "redo" : "undo"]();
});

byId("pruning")?.addEventListener("toggle", drawPath);
byId("alpha")?.addEventListener("input", () => {
  const { path, step } = shown();
  const next = { root: path[byId("alpha").value].root, path, step: Number(byId("alpha").value) };
  if (step > 0) state.now -= 1; // another step of the same path takes its place
  show(next, [], "Pruned");
});

const firstPart = partOf(train.rows, train.weights, 0);
const scale = ofClasses || !firstPart.risk ? 1 : firstPart.cases / firstPart.risk;
show({ root: leafOf(firstPart) }, []);
