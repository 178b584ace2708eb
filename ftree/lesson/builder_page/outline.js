// The tree as rows that open and close.

const idOf = (path) => ["n", ...path].join("-");
const isOpen = (path) => state.open.get(idOf(path)) ?? path.length < state.depth;
// The rows below open branches. Unless a person opens or closes them, as many levels are open as have few nodes.
function visibleRows() {
  let [level, n] = [[shown().root], 1];
  for (state.depth = 0; level.length && n <= 150; state.depth++) n += (level = level.flatMap((node) => node.children)).length;
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
  const figures = ofClasses && words.classes.length <= 3 ? Array.from(part.sums, (count) => short(count, 6)).join(" : ") : short(part.cases, 6);
  const place = { "aria-level": path.length + 1, "aria-setsize": of, "aria-posinset": (path.at(-1) ?? 0) + 1, "aria-selected": isSelected, ...(split && { "aria-expanded": isOpen(path) }) };
  const tested = [name, text.slice(name.length)].map((each) => element("span", {}, each));
  const style = `--depth:${Math.min(path.length, 30)};--class:${ofClasses ? given.shades[part.answer] : "var(--frame)"}`;
  return element(
    "div", { role: "treeitem", id: idOf(path), tabindex: isSelected ? 0 : -1, style, title: `${text}\n${sumsText(part.sums)}`, ...place },
    element("span", { class: "twisty", "aria-hidden": "true" }), element("span", { class: "condition" }, ...tested),
    split ? element("span", { class: "asks" }, `${words.features[split.feature]}?`) : element("span", { class: "label" }, answerText(part.answer)),
    element("span", { class: "figures" }, bar(part.sums), element("span", { class: "cases" }, figures)),
  );
}
