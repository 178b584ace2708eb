// Prunings of a tree: those along the cost-complexity path, and the smallest one with the least loss on the test rows.
// Needs table (test, total), responses (response), routing (divided), trees (leafOf, levelOrder, rebuilt).

// Whether a number is at most another but for rounding.
const isAtMost = (one, other) => one - other <= Math.max(1e-10 * Math.max(Math.abs(one), Math.abs(other)), 1e-12);

// The trees of least cost for some alpha, the largest first; equal links are cut in one step.
function weakestLinks(root) {
  const alphas = new Map(linksOf(root).map(({ node, alpha }) => [node, alpha]));
  const isCut = (node, most) => alphas.get(node) <= most;
  const cutAt = (most) => rebuilt(root, (node, children) => (isCut(node, most) ? leafOf(node.part) : { ...node, children }));
  const isLast = (alpha, place, each) => place === each.length - 1 || !isAtMost(each[place + 1], alpha);
  const steps = [0, ...alphas.values()].filter(isLast);
  return steps.map((most) => ({ alpha: response.alpha(most, root), get root() { return cutAt(most); } }));
}

// The links of a tree, in the order in which they are cut. To cut a node's link makes it a leaf: `lost` leaves go, and alpha is
// what each of them has saved. Children come first. A branch is at first taken as a twig, whose children are leaves, as they are if
// all links below are cut before its own. A link below with a larger alpha is not: the branch's cut then removes that link's leaves
// too, so the branch takes over what they save, until only smaller alphas are left below it.
function linksOf(root) {
  const [unit, links] = [response.costUnit(root), new Map()];
  for (const node of levelOrder(root).reverse()) {
    const below = node.children.flatMap((child) => links.get(child)).sort((one, other) => one.alpha - other.alpha);
    let lost = node.children.length - 1;
    let saved = (node.part.risk - total(node.children.map(({ part }) => part.risk))) / unit;
    const alpha = () => (isAtMost(saved / lost, 0) ? 0 : saved / lost);
    while (below.length && below.at(-1).alpha > alpha()) {
      const stronger = below.pop();
      saved += stronger.alpha * stronger.lost;
      lost += stronger.lost;
    }
    links.set(node, node.split ? [...below, { node, lost, alpha: alpha() }] : []);
  }
  return links.get(root);
}

// The smallest of the prunings that lose least on the test rows.
function reducedError(root) {
  const cases = testCases(root);
  const lost = (node) => lossIn(cases.get(node), node.part.answer);
  const [unit, losses] = [response.lossUnit(lost(root)), new Map()];
  return rebuilt(root, (node, children) => {
    const asLeaf = lost(node) / unit;
    const below = total(node.children.map((child) => losses.get(child)));
    const isCut = !node.split || isAtMost(asLeaf, below);
    losses.set(node, isCut ? asLeaf : below);
    return isCut ? leafOf(node.part) : { ...node, children };
  });
}

// The test rows and their weights at each node.
function testCases(root) {
  const cases = new Map([[root, test]]);
  for (const node of levelOrder(root).filter(({ split }) => split)) {
    const sizes = node.children.map(({ part }) => part.cases);
    divided(cases.get(node), node.split, test, "weighted", sizes).forEach((part, child) => cases.set(node.children[child], part));
  }
  return cases;
}
function lossIn({ rows, weights }, answer) {
  return total(Array.from(rows, (row, place) => weights[place] * response.loss(answer, test.seen[row])));
}
