// The tree as rows that open and close. A row is { node, path, name, text, of }: the feature that its parent tests, its
// condition, and how many children its parent has.
// Needs table (words), state (shown, state), texts (condition, face), elements (bar, element).

const idOf = (path) => ["n", ...path].join("-");
const isOpen = (path) => state.open.get(idOf(path)) ?? path.length < state.depth;
const MOST_OPEN = 150;

// As many levels as have few nodes in all; unless a person opens or closes them, these are open.
function openLevels() {
  let [level, depth, n] = [[shown().root], 0, 1];
  for (; level.length && n <= MOST_OPEN; depth++) {
    level = level.flatMap((node) => node.children);
    n += level.length;
  }
  return depth;
}

// The rows below open branches, from top to bottom.
function visibleRows() {
  state.depth = openLevels();
  const [rows, open] = [[], [{ node: shown().root, path: [], name: "", text: words.target, of: 1 }]];
  while (open.length) {
    const { node, path } = open.at(-1);
    rows.push(open.pop());
    const [name, of] = [words.features[node.split?.feature], node.children.length];
    const rowOf = (child, place) => ({ node: child, path: [...path, place], name, text: condition(node.split, place), of });
    if (isOpen(path)) open.push(...node.children.map(rowOf).reverse());
  }
  return rows;
}

function treeRow({ node: { part, split }, path, name, text, of }) {
  const isSelected = idOf(path) === idOf(state.at);
  const properties = {
    role: "treeitem",
    id: idOf(path),
    tabindex: isSelected ? 0 : -1,
    style: `--depth:${Math.min(path.length, 30)};--class:${face.shade(part)}`,
    title: `${text}\n${face.sums(part.sums, 0)}`,
    "aria-level": path.length + 1,
    "aria-setsize": of,
    "aria-posinset": (path.at(-1) ?? 0) + 1,
    "aria-selected": isSelected,
    ...(split && { "aria-expanded": isOpen(path) }),
  };
  const tested = [name, text.slice(name.length)].map((each) => element("span", {}, each));
  const asks = () => element("span", { class: "asks" }, `${words.features[split.feature]}?`);
  return element(
    "div",
    properties,
    element("span", { class: "twisty", "aria-hidden": "true" }),
    element("span", { class: "condition" }, ...tested),
    split ? asks() : element("span", { class: "label" }, face.answer(part.answer)),
    element("span", { class: "figures" }, bar(part.sums), element("span", { class: "cases" }, face.cases(part))),
  );
}
