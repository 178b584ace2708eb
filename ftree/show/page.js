"use strict";
// Rows stand in the page in preorder; each knows its parent. The state is which rows are open, the stage, and the query.
const tree = document.getElementById("tree");
const rows = [...tree.children].map((element) => ({
  element,
  parent: null,
  open: element.getAttribute("aria-expanded") === "true",
  isBranch: element.hasAttribute("aria-expanded"),
  cutAt: element.dataset.cut === undefined ? Infinity : Number(element.dataset.cut),
  opensCut: false,
  words: element.querySelector(".condition").textContent.toLowerCase() + "\n" + (element.querySelector(".label")?.textContent ?? "").toLowerCase(),
}));
const byId = new Map(rows.map((row) => [row.element.id, row]));
for (const row of rows) row.parent = byId.get(row.element.dataset.parent) ?? null;
const slider = document.getElementById("alpha");
const search = document.getElementById("search");
const found = document.getElementById("found");
const details = document.getElementById("details");
const stages = [...document.querySelectorAll("tr[data-says]")];
let stage = 0;
let current = rows[0];
let hits = [];
const growing = slider !== null && slider.dataset.grows !== undefined;
const answer = document.getElementById("answer");
const drawn = new Map();
document.body.classList.toggle("grows", growing);
for (const part of document.querySelectorAll("#diagram [data-node]")) {
  const id = "n" + part.dataset.node;
  drawn.set(id, [...(drawn.get(id) ?? []), part]);
  part.addEventListener("click", () => select(byId.get(id)));
}
for (const row of rows) row.below = [];
for (const row of rows) row.parent?.below.push(row);

const isCut = (row) => row.cutAt <= stage;
const isOpen = (row) => row.isBranch && (isCut(row) ? row.opensCut : row.open);

function update() {
  const query = search.value.trim().toLowerCase();
  hits = query ? rows.filter((row) => row.words.includes(query)) : [];
  const wanted = new Set();
  for (const hit of hits) for (let row = hit; row && !wanted.has(row); row = row.parent) wanted.add(row);
  for (const row of rows) {
    const { element, parent } = row;
    row.gone = parent !== null && (parent.gone || isCut(parent));
    row.visible = query ? wanted.has(row) : parent === null || (parent.visible && isOpen(parent));
    element.hidden = !row.visible;
    element.classList.toggle("gone", row.gone);
    element.classList.toggle("cut", isCut(row));
    for (const part of drawn.get(element.id) ?? []) {
      part.classList.toggle("gone", row.gone);
      part.classList.toggle("unsplit", isCut(row));
    }
    element.classList.toggle("hit", query !== "" && row.words.includes(query));
    if (row.isBranch) element.setAttribute("aria-expanded", String(query ? true : isOpen(row)));
  }
  found.textContent = query ? `${hits.length} found` : "";
  let row = current;
  while (!row.visible && row.parent) row = row.parent;
  focusable(row.visible ? row : rows.find((each) => each.visible) ?? rows[0]);
}

function focusable(row) {
  current.element.tabIndex = -1;
  current = row;
  row.element.tabIndex = 0;
}

function select(row) {
  focusable(row);
  row.element.focus();
  describe(row);
}

function light(row) {
  const way = new Set();
  for (let each = row; each; each = each.parent) way.add(each.element.id);
  for (const [id, parts] of drawn) for (const part of parts) part.classList.toggle("on", way.has(id));
  for (const each of rows) each.element.classList.toggle("on", way.has(each.element.id));
}

function describe(row) {
  light(row);
  const way = [];
  for (let each = row; each.parent; each = each.parent) way.unshift(each.element.querySelector(".condition").textContent);
  const list = document.createElement("ol");
  for (const condition of way) list.append(Object.assign(document.createElement("li"), { textContent: condition }));
  const lines = row.element.title.split("\n").slice(growing && isCut(row) ? 2 : 1);
  const counts = lines.map((line) => Object.assign(document.createElement("div"), { textContent: line }));
  const reason = row.element.querySelector(".reason");
  if (reason && isCut(row)) counts.push(Object.assign(document.createElement("em"), { textContent: reason.textContent }));
  details.replaceChildren(...(way.length ? [list] : []), ...counts);
}

function setOpen(row, open) {
  if (!row.isBranch) return;
  if (isCut(row)) row.opensCut = open;
  else row.open = open;
  update();
}

function moveTo(step) {
  const visible = rows.filter((row) => row.visible);
  const place = visible.indexOf(current) + step;
  if (visible[place]) select(visible[place]);
}

function startingWith(letter) {
  const visible = rows.filter((row) => row.visible);
  const start = visible.indexOf(current) + 1;
  return [...visible.slice(start), ...visible.slice(0, start)].find((row) => row.words.startsWith(letter));
}

const keys = {
  ArrowDown: () => moveTo(1),
  ArrowUp: () => moveTo(-1),
  Home: () => select(rows.find((row) => row.visible)),
  End: () => select(rows.findLast((row) => row.visible)),
  ArrowRight: () => (isOpen(current) ? moveTo(1) : setOpen(current, true)),
  ArrowLeft: () => (isOpen(current) ? setOpen(current, false) : current.parent && select(current.parent)),
  Enter: () => setOpen(current, !isOpen(current)),
  " ": () => setOpen(current, !isOpen(current)),
  "*": () => {
    for (const row of rows) if (row.parent === current.parent) row.open = true;
    update();
  },
};

tree.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (keys[event.key]) keys[event.key]();
  else if (event.key.length === 1) {
    const next = startingWith(event.key.toLowerCase());
    if (next) select(next);
  } else return;
  event.preventDefault();
});

tree.addEventListener("click", (event) => {
  const row = byId.get(event.target.closest("[role=treeitem]")?.id);
  if (!row) return;
  select(row);
  if (event.target.classList.contains("twisty")) setOpen(row, !isOpen(row));
});
tree.addEventListener("dblclick", () => setOpen(current, !isOpen(current)));
tree.addEventListener("focusin", (event) => {
  const row = byId.get(event.target.id);
  if (row) describe(row);
});

search.addEventListener("input", update);
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") search.value = "";
  else if (event.key === "Enter" && hits.length) select(hits[0]);
  else return;
  event.preventDefault();
  update();
});

for (const [id, open] of [["open", true], ["close", false]]) {
  document.getElementById(id).addEventListener("click", () => {
    for (const row of rows) row.open = open;
    if (!open) for (const row of rows) row.opensCut = false;
    if (!open) rows[0].open = true;
    update();
  });
}

// Which child a row goes to; null where a value that the test needs is not given.
function passes(row, values) {
  const test = JSON.parse(row.element.dataset.test);
  if (test.of.some((number) => values[number] === undefined)) return null;
  if (test.codes) return test.codes.includes(values[test.of[0]]);
  const sum = test.of.reduce((total, number, place) => total + test.times[place] * values[number], 0);
  return (test.above === null || sum > test.above) && (test.most === null || sum <= test.most);
}

function classify() {
  const values = {};
  for (const field of form.elements) if (field.value !== "") values[Number(field.name.slice(1))] = Number(field.value);
  let row = rows[0];
  let unknown = false;
  while (row.below.length && !isCut(row) && !unknown) {
    const answers = row.below.map((child) => passes(child, values));
    unknown = answers.includes(null);
    const next = row.below[answers.indexOf(true)];
    if (!next) break;
    row = next;
  }
  const asked = row.element.title.split("\n")[1];
  const label = row.element.querySelector(".label")?.textContent;
  answer.textContent = unknown ? asked : label ?? `${asked} No branch has this value.`;
  focusable(row);
  describe(row);
}

const form = document.getElementById("row");
if (form) {
  form.addEventListener("input", classify);
  form.addEventListener("submit", (event) => event.preventDefault());
}

function showStage() {
  stage = growing ? Number(slider.max) - Number(slider.value) : Number(slider.value);
  for (const note of document.querySelectorAll(".note")) note.hidden = Number(note.dataset.stage) !== stage;
  const says = stages[stage].dataset.says;
  document.getElementById("stage").textContent = says;
  slider.setAttribute("aria-valuetext", says);
  stages.forEach((line, number) => line.classList.toggle("now", number === stage));
  for (const dot of document.querySelectorAll(".curve circle")) dot.classList.toggle("now", Number(dot.dataset.stage) === stage);
  update();
}

if (slider) {
  slider.addEventListener("input", showStage);
  showStage();
} else update();
