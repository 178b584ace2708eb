// What a person has done: the trees that were built, which one is shown, the path of the selected node, the nodes that were
// opened or closed, and the feature whose cuts are shown. `draw` adds the rows of the tree that can be seen, and how many levels
// are open. Needs table (words), trees (branchOf, nodeAt, replaced); in functions outline (idOf), drawing (draw).

const state = { trees: [], now: -1, at: [], open: new Map(), feature: null, handedIn: false };
const shown = () => state.trees[state.now];
const selected = () => nodeAt(shown().root, state.at);

function show(tree, at, said) {
  state.trees.splice(++state.now, Infinity, { ...tree, at });
  select(at, said);
}
const change = (node, said) => show({ root: replaced(shown().root, state.at, node) }, state.at, said);
const placeInRows = () => state.rows.findIndex(({ path }) => idOf(path) === idOf(state.at));
// After a split, the next leaf with errors is selected.
function take(split) {
  change(branchOf(selected().part, split));
  const next = [...state.rows.slice(placeInRows()), ...state.rows].find(({ node }) => !node.split && node.part.risk > 0);
  select(next?.path ?? state.at, `Split by ${words.features[split.feature]}`);
}
// Back or forth; where the tree has changed is selected.
function move(step, said) {
  const { at } = shown();
  state.now += step;
  select(step < 0 ? at : shown().at, said);
}
function select(path, said = "") {
  state.at = path;
  draw(said);
}
