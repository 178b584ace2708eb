// The page on which a person builds a tree, in chapters: state, words, drawing, events. `builder_trees.js`, which comes first in the
// script, computes the trees.

// ---- State: the trees that were built, which one is shown, the path of the selected node, open nodes, the feature whose cuts are shown
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

// ---- Words
const byId = (id) => document.getElementById(id);
const short = (number, digits = 3) => String(Number(number.toPrecision(digits)));
const leavesText = (n) => `${n} ${n === 1 ? "leaf" : "leaves"}`;
const answerText = (answer) => (ofClasses ? words.classes[answer] : short(answer, 4));
const figureText = (figure) => (ofClasses ? `${(100 * figure).toFixed(1)} %` : short(figure, 4));
const meanOf = (sums, centre) => numberAt(centre + sums[1] / sums[0]);
// A number of a condition with all its digits, but for the rounding error of a midpoint.
function valueText(feature, value) {
  const iso = words.times[feature]?.startsWith("date") && new Date(value * 1000).toISOString();
  if (iso) return words.times[feature] === "date" ? iso.slice(0, 10) : iso.slice(0, -5).replace("T", " ");
  const near = Number(value.toPrecision(12));
  return String(near === Number(value.toPrecision(15)) ? near : value);
}
function condition({ type, feature, at, members, values }, child) {
  const [name, texts] = [words.features[feature], words.values[feature]];
  if (type === "Threshold") return `${name} ${child ? ">" : "<="} ${texts[Math.floor(at)] ?? valueText(feature, at)}`;
  const isOfChild = (_, code) => (values ? code === values[child] : members.includes(code) === !child);
  const own = texts.filter(isOfChild);
  return own.length === 1 ? `${name} = ${own[0]}` : `${name} in {${own.join(", ")}}`;
}
function sumsText(sums, centre = 0) {
  const counts = () => Array.from(sums, (count, label) => `${short(count, 6)} ${words.classes[label]}`).join(", ");
  return ofClasses ? counts() : `mean ${answerText(meanOf(sums, centre))}, ${short(sums[0], 6)} cases`;
}

// ---- Drawing
function element(tag, properties = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}
const cell = (text) => element("td", {}, text);
const button = (text, onclick, more) => Object.assign(element("button", { type: "button", ...more }, text), { onclick });
const [low, high] = [train.seen.reduce((one, other) => Math.min(one, other)), train.seen.reduce((one, other) => Math.max(one, other))];
// A bar of the classes' shares, or a mark at the mean in the range of all numbers.
function bar(sums, centre = 0) {
  const pieces = [];
  const put = (start, end, shade) => pieces.push(element("i", { style: `left:${100 * start}%;width:${100 * (end - start)}%;background:${shade}` }));
  const cases = casesOf(sums);
  if (ofClasses && cases) sums.reduce((sum, count, label) => (put(sum / cases, (sum + count) / cases, given.shades[label]), sum + count), 0);
  else if (cases) {
    const place = (meanOf(sums, centre) - low) / (high - low || 1);
    put(0.94 * place, 0.94 * place + 0.06, given.shades[Math.round((given.shades.length - 1) * place)]);
  }
  return element("span", { class: "bar", "aria-hidden": "true" }, ...pieces);
}
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
  const figures = ofClasses && nClasses <= 3 ? Array.from(part.sums, (count) => short(count, 6)).join(" : ") : short(part.cases, 6);
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

// This tree and those that Python gave; in a contest, what the test rows say is hidden until the tree is handed in.
function drawScore() {
  const own = shown();
  own.figures ??= [leavesOf(own.root), ...[train, test].map((table) => table && assessed(own.root, table))];
  const isHidden = given.budget && !state.handedIn;
  const text = (figure, place) => (place && isHidden ? "hidden" : figureText(figure));
  const texts = ([leaves, ...figures]) => [leaves, ...figures.filter((figure) => figure !== null).map(text)];
  const line = ([name, ...figures]) => element("tr", {}, element("th", { scope: "row" }, name), ...texts(figures).map(cell));
  byId("score").replaceChildren(...[["this tree", ...own.figures], ...(isHidden ? [] : given.others)].map(line));
  byId("hand-in").disabled = !isHidden || own.figures[0] > given.budget;
  byId("budget").textContent = `at most ${leavesText(given.budget)}`;
  const [leaves, onTrain, onTest] = texts(own.figures);
  return `${leavesText(leaves)}, ${onTrain} in training${onTest && !isHidden ? `, ${onTest} in test` : ""}`;
}
function drawNode() {
  const { part, split } = selected();
  const { features, choice } = searched(part);
  const way = state.at.map((child, depth) => condition(nodeAt(shown().root, state.at.slice(0, depth)).split, child));
  byId("way").replaceChildren(...(way.length ? way : ["All rows"]).map((text) => element("li", {}, text)));
  byId("counts").textContent = sumsText(part.sums);
  byId("advice").textContent = choice ? `The policy splits by ${words.features[choice.feature]}.` : "The policy stops here.";
  byId("cut").disabled = !split;
  byId("features").replaceChildren(...features.flatMap((found) => featureRows(found, part, split?.feature === found.feature)));
}
function featureRows(found, part, isTaken) {
  const name = words.features[found.feature];
  if (!found.split) return [element("tr", { class: "none" }, element("th", { scope: "row" }, name), element("td", { colspan: ofClasses ? 3 : 2 }, "no split"))];
  const isShown = found.cuts && state.feature === found.feature;
  const takes = button(name, () => take(found.split), { class: "take", "aria-pressed": isTaken, title: condition(found.split, 0) });
  const look = () => {
    state.feature = isShown ? null : found.feature;
    draw();
    document.querySelector("#features input")?.focus();
  };
  const cuts = found.cuts ? [button("cuts", look, { class: "curves", "aria-expanded": isShown, "aria-label": `Cuts of ${name}` })] : [];
  const figures = [short(found.score), ...(ofClasses ? [short(found.pValue, 2)] : [])].map(cell);
  const cells = [element("th", { scope: "row" }, takes, ...cuts), ...figures, cell(division(found.split, found.children, part))];
  const row = element("tr", isTaken ? { class: "now" } : {}, ...cells);
  return isShown ? [row, element("tr", {}, element("td", { colspan: ofClasses ? 4 : 3 }, curveOf(found, part)))] : [row];
}
// The children side by side, as wide as they have cases; screen readers read conditions and sums.
function division(split, children, part) {
  const text = children.map((sums, child) => `${condition(split, child)}: ${sumsText(sums, part.centre)}`).join("\n");
  const bars = children.map((sums) => element("span", { style: `flex-grow:${casesOf(sums)}` }, bar(sums, part.centre)));
  return element("span", { class: "division", title: text }, ...bars, element("span", { class: "unseen" }, text));
}

// The scores of all cuts of a numeric feature. A slider, or a click, chooses one.
function curveOf({ feature, cuts }, part) {
  const listed = [...cuts.scores.keys()].filter((cut) => cuts.scores[cut] > -Infinity);
  const ends = listed.map((cut) => cuts.splitAt(cut).at);
  const x = (place) => 4 + (292 * (ends[place] - ends[0])) / (ends.at(-1) - ends[0] || 1);
  const y = (place) => 60 - (54 * cuts.scores[listed[place]]) / (cuts.scores[cuts.below] || 1);
  const picture = element("div", { class: "curve" });
  const points = listed.map((_, place) => `${x(place).toFixed(1)},${y(place).toFixed(1)}`).join(" ");
  picture.innerHTML = `<svg viewBox="0 0 300 66" role="img" aria-label="Scores"><polyline points="${points}" fill="none"/><circle r="4"/></svg>`;
  const slider = element("input", { type: "range", max: listed.length - 1, "aria-label": `Cut of ${words.features[feature]}` });
  const [says, bars] = [element("output"), element("div")];
  const choose = (place) => {
    const split = cuts.splitAt(listed[place]);
    slider.value = place;
    picture.querySelector("circle").setAttribute("transform", `translate(${x(place)} ${y(place)})`);
    says.textContent = `${condition(split, 0)}, score ${short(cuts.scores[listed[place]])}`;
    slider.setAttribute("aria-valuetext", says.textContent);
    bars.replaceChildren(division(split, cuts.childrenAt(listed[place]), part));
  };
  slider.oninput = () => choose(slider.value);
  picture.onclick = ({ offsetX }) => {
    const from = (place) => Math.abs(x(place) - (offsetX / picture.clientWidth) * 300);
    choose(listed.reduce((best, _, place) => (from(place) < from(best) ? place : best), 0));
  };
  choose(listed.indexOf(cuts.below));
  return element("div", { class: "cuts" }, picture, slider, says, bars, button("Split here", () => take(cuts.splitAt(listed[slider.value]))));
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

// ---- Events
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
    const verdict = mine === machine ? "A tie" : mine > machine === ofClasses ? "You win" : "The machine wins";
    byId("said").textContent = `${verdict}: ${figureText(mine)} on the hidden rows, the machine ${figureText(machine)}.`;
  },
};
for (const [id, press] of Object.entries(presses)) byId(id).addEventListener("click", press);
const keys = {
  ArrowDown: (place) => state.rows[place + 1],
  ArrowUp: (place) => state.rows[place - 1],
  Home: () => state.rows[0],
  End: () => state.rows.at(-1),
  ArrowRight: (place, { node, path }) => (node.split && !isOpen(path) ? setOpen(path, true) : node.split && state.rows[place + 1]),
  ArrowLeft: (_, { node, path }) => (node.split && isOpen(path) ? setOpen(path, false) : path.length && { path: path.slice(0, -1) }),
  Delete: () => byId("cut").click(),
};
byId("tree").addEventListener("keydown", (event) => {
  if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const next = keys[event.key](placeInRows(), state.rows[placeInRows()]);
  if (next) select(next.path);
});
byId("tree").addEventListener("click", ({ target }) => {
  const row = state.rows.find(({ path }) => idOf(path) === target.closest("[role=treeitem]")?.id);
  if (row?.node.split && target.classList.contains("twisty")) setOpen(row.path, !isOpen(row.path));
  else if (row) select(row.path);
});
document.addEventListener("keydown", ({ ctrlKey, metaKey, key }) => (ctrlKey || metaKey) && byId({ z: "undo", y: "redo" }[key])?.click());
byId("pruning").addEventListener("toggle", drawPath);
byId("alpha").addEventListener("input", () => {
  const [{ path, isPruned }, step] = [shown(), Number(byId("alpha").value)];
  if (isPruned) state.now -= 1; // another step of the same path takes its place
  show({ root: path[step].root, path, step, isPruned: true }, [], "Pruned");
});

show({ root: leafOf(all) }, []);
