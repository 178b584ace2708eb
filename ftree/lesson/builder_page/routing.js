// Rows down a tree: which child a row goes to, how a row without an answer is divided, and what a tree answers.
// Needs table (rule, total), responses (add, casesOf, noSums, response).

// By type of split: how many children it has, and the function from a value's code to the number of its child, -1 if it has none.
const splitTypes = {
  Threshold: {
    nChildren: () => 2,
    childOf: ({ at }, values) => (code) => +!((values ? values[code] : code) <= at),
  },
  Multiway: {
    nChildren: ({ values }) => values.length,
    childOf({ values }) {
      const places = new Map(values.map((code, place) => [code, place]));
      return (code) => places.get(code) ?? -1;
    },
  },
  Subset: {
    nChildren: () => 2,
    childOf({ members }) {
      const left = new Set(members);
      return (code) => +!left.has(code);
    },
  },
};

// The function from a row to the number of its child, -1 for a row that the split has no answer for.
function childIn(table, split) {
  if (table.children.has(split)) return table.children.get(split);
  const { codes, values } = table.columns[split.feature];
  const ofCode = splitTypes[split.type].childOf(split, values);
  const child = (row) => (codes[row] < 0 ? -1 : ofCode(codes[row]));
  table.children.set(split, child);
  return child;
}

// By rule for rows without an answer, the share that each child gets of one, by the cases of the children. Trees that stop at a row
// without an answer divide none.
const shares = {
  all_routes: (sizes) => sizes.map(() => 1),
  heaviest: (sizes) => sizes.map((_, place) => +(place === sizes.indexOf(Math.max(...sizes)))),
  weighted: (sizes) => sizes.map((size) => (Math.max(...sizes) > 0 ? size / total(sizes) : 1 / sizes.length)),
  stop_here: null,
};

// The rows and weights of each child. Rows without an answer are divided by `sizes`, or else by the cases with an answer.
function divided({ rows, weights }, split, table, by, sizes = null) {
  const child = childIn(table, split);
  const parts = Array.from({ length: splitTypes[split.type].nChildren(split) }, () => ({ rows: [], weights: [] }));
  const put = (part, row, weight) => part.rows.push(row) && part.weights.push(weight);
  const lost = [];
  rows.forEach((row, place) => (child(row) < 0 ? lost.push(place) : put(parts[child(row)], row, weights[place])));
  const ofChildren = lost.length ? shares[by](sizes ?? parts.map((part) => total(part.weights))) : [];
  for (const place of lost) {
    // Multiples of a power of two add up exactly; what is left of a case goes to the first child with the largest share.
    const times = table.times[rows[place]];
    const own = ofChildren.map((share) => Math.floor((share * weights[place]) / times / table.unit) * table.unit);
    own[ofChildren.indexOf(Math.max(...ofChildren))] += weights[place] / times - total(own);
    own.forEach((weight, number) => weight > 0 && put(parts[number], rows[place], weight * times));
  }
  return parts;
}

// The answer for a row. From a split without an answer on, a row goes on in shares: the sums of all leaves that it reaches are
// added up, or their answers, if these have means.
function answerOfRow(root, row, table) {
  let [node, child] = [root, 0];
  while (node.split && (child = childIn(table, node.split)(row)) >= 0) node = node.children[child];
  if (!node.split || rule === "stop_here") return node.part.answer;
  const [sums, spare] = [noSums(), noSums()];
  let mean = 0;
  for (const [{ part }, share] of leavesReached(node, row, table)) {
    add(sums, part.sums, 0, rule === "weighted" ? share / (part.cases || 1) : 1);
    part.whole.forEach((sum, place) => (spare[place] = Math.max(spare[place], sum)));
    mean += share * part.answer;
  }
  return rule === "weighted" && response.hasMeans ? mean : response.answer(casesOf(sums) > 0 ? sums : spare);
}
function leavesReached(node, row, table) {
  const open = [[node, 1]];
  for (const [{ split, children }, share] of open) {
    if (!split) continue;
    const own = childIn(table, split)(row);
    const each = own < 0 ? shares[rule](children.map(({ part }) => part.cases)) : children.map((_, place) => +(place === own));
    each.forEach((of, place) => of > 0 && open.push([children[place], share * of]));
  }
  return open.filter(([{ split }]) => !split);
}

// The share of right answers; of numbers, the root of the mean squared error.
function assessed(root, table) {
  let lost = 0;
  for (const row of table.rows) lost += table.weights[row] * response.loss(answerOfRow(root, row, table), table.seen[row]);
  return response.figure(lost, total(table.weights));
}
