// The page, which is drawn anew after each event: the tree, its figures, the selected node, the pruning path.
// Needs table (given, test, train), routing (assessed), trees (leavesOf), pruning (weakestLinks), state (shown, state), texts
// (face, leavesText, short), elements (byId, cell, element), outline (treeRow, visibleRows), node (drawNode).

// This tree and those that Python gave; in a contest, what the test rows say is hidden until the tree is handed in.
function drawScore() {
  const own = shown();
  own.figures ??= [leavesOf(own.root), ...[train, test].map((table) => table && assessed(own.root, table))];
  const isHidden = given.budget && !state.handedIn;
  const text = (figure, place) => (place && isHidden ? "hidden" : face.figure(figure));
  const texts = ([leaves, ...figures]) => [leaves, ...figures.filter((figure) => figure !== null).map(text)];
  const line = ([name, ...figures]) => element("tr", {}, element("th", { scope: "row" }, name), ...texts(figures).map(cell));
  byId("score").replaceChildren(...[["this tree", ...own.figures], ...(isHidden ? [] : given.others)].map(line));
  byId("hand-in").disabled = !isHidden || own.figures[0] > given.budget;
  byId("budget").textContent = `at most ${leavesText(given.budget)}`;
  const [leaves, onTrain, onTest] = texts(own.figures);
  return `${leavesText(leaves)}, ${onTrain} in training${onTest && !isHidden ? `, ${onTest} in test` : ""}`;
}

function drawPath() {
  if (!byId("pruning").open) return;
  const own = shown();
  own.path ??= weakestLinks(own.root);
  const { alpha, root } = own.path[(own.step ??= 0)];
  Object.assign(byId("alpha"), { max: own.path.length - 1, value: own.step });
  byId("stage").textContent = `alpha ${short(alpha)}, ${leavesText(leavesOf(root))}`;
  byId("alpha").setAttribute("aria-valuetext", byId("stage").textContent);
}

function draw(said) {
  const region = document.activeElement?.closest("#tree, #features")?.id;
  state.rows = visibleRows();
  byId("tree").replaceChildren(...state.rows.map(treeRow));
  byId("said").textContent = [said, drawScore()].filter(Boolean).join(". ");
  drawNode();
  drawPath();
  for (const [id, step] of [["undo", -1], ["redo", 1]]) byId(id).disabled = !state.trees[state.now + step];
  if (region) document.querySelector(region === "tree" ? "#tree [tabindex='0']" : "#features button")?.focus();
}
