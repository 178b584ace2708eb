// Trees: a node is { part, split, children }, and never changes. Growth, and the JSON of a tree.
// Needs table (given, train), responses (response), rows (partOf), search (searched), routing (divided, splitTypes).

const leafOf = (part) => ({ part, split: null, children: [] });
function branchOf(part, split) {
  const leaf = ({ rows, weights }) => leafOf(partOf(Int32Array.from(rows), Float64Array.from(weights), part.depth + 1, part));
  return { part, split, children: divided(part, split, train, given.divide).map(leaf) };
}

// Each node after its parent, level by level.
function levelOrder(root) {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.children);
  return nodes;
}

const leavesOf = (root) => levelOrder(root).filter(({ split }) => !split).length;
const nodeAt = (root, path) => path.reduce((node, child) => node.children[child], root);

// The tree with another node at a path.
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

// The tree as the JSON of `ftree.to_json`.
function written(root) {
  const nodes = levelOrder(root);
  const splits = Object.keys(splitTypes).flatMap((type) => {
    const own = [...nodes.keys()].filter((number) => nodes[number].split?.type === type);
    const names = Object.keys(nodes[own[0]]?.split ?? {}).slice(1);
    const fields = Object.fromEntries(names.map((name) => [name, own.map((number) => nodes[number].split[name])]));
    return own.length ? [{ type, nodes: own, fields }] : [];
  });
  const counts = response.columns(nodes).map((column) => `[${column}]`);
  const nChildren = nodes.map(({ children }) => children.length);
  return `${given.head}{"n_children":[${nChildren}],"counts":[${counts}],"splits":${JSON.stringify(splits)}}}}`;
}

// The cases of nodes, and exact sums of numbers and squares, which are whole numbers of any size.
function exactSums(nodes) {
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
