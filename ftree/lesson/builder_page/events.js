// What buttons, keys and the mouse do. Needs table (given), responses (response), rows (all), trees (grown, leafOf, written),
// pruning (reducedError), state (change, move, placeInRows, select, selected, show, shown, state), texts (face), elements (byId),
// outline (idOf, isOpen), drawing (draw, drawPath).

// A closed branch is selected in place of a node below it.
function setOpen(path, open) {
  state.open.set(idOf(path), open);
  select(open || path.some((child, depth) => child !== state.at[depth]) ? state.at : path);
}

const presses = {
  undo: () => move(-1, "Undone"),
  redo: () => move(1, "Redone"),
  cut: () => change(leafOf(selected().part), "Cut to a leaf"),
  finish: () => change(grown(selected()), "The policy has finished the branch"),
  "finish-all": () => show({ root: grown(shown().root) }, [], "The policy has finished the tree"),
  "reduced-error": () => show({ root: reducedError(shown().root) }, [], "Pruned by the test rows"),
  copy: () => {
    Object.assign(byId("json"), { hidden: false, value: written(shown().root) }).select();
    navigator.clipboard?.writeText(byId("json").value).catch(() => document.execCommand("copy"));
    byId("said").textContent = "Copied. In Python, ft.from_json reads the text.";
  },
  "hand-in": () => {
    state.handedIn = true;
    draw();
    const [mine, machine] = [shown().figures[2], given.others[0][3]];
    const verdict = mine === machine ? "A tie" : response.isBetter(mine, machine) ? "You win" : "The machine wins";
    byId("said").textContent = `${verdict}: ${face.figure(mine)} on the hidden rows, the machine ${face.figure(machine)}.`;
  },
};
for (const [id, press] of Object.entries(presses)) byId(id).addEventListener("click", press);
// By key, the row that is selected next, given the place of the selected one.
const moves = {
  ArrowDown: (place) => state.rows[place + 1],
  ArrowUp: (place) => state.rows[place - 1],
  Home: () => state.rows[0],
  End: () => state.rows.at(-1),
  ArrowRight: (place, { node, path }) => (node.split && !isOpen(path) ? setOpen(path, true) : node.split && state.rows[place + 1]),
  ArrowLeft: (_, { node, path }) => (node.split && isOpen(path) ? setOpen(path, false) : path.length && { path: path.slice(0, -1) }),
  Delete: () => byId("cut").click(),
};

byId("tree").addEventListener("keydown", (event) => {
  if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const next = moves[event.key](placeInRows(), state.rows[placeInRows()]);
  if (next) select(next.path);
});
byId("tree").addEventListener("click", ({ target }) => {
  const row = state.rows.find(({ path }) => idOf(path) === target.closest("[role=treeitem]")?.id);
  if (row?.node.split && target.classList.contains("twisty")) setOpen(row.path, !isOpen(row.path));
  else if (row) select(row.path);
});
document.addEventListener("keydown", ({ ctrlKey, metaKey, key }) => {
  if (ctrlKey || metaKey) byId({ z: "undo", y: "redo" }[key])?.click();
});

byId("pruning").addEventListener("toggle", drawPath);
byId("alpha").addEventListener("input", () => {
  const [{ path, isPruned }, step] = [shown(), Number(byId("alpha").value)];
  if (isPruned) state.now -= 1; // another step of the same path takes its place
  show({ root: path[step].root, path, step, isPruned: true }, [], "Pruned");
});

show({ root: leafOf(all) }, []);
