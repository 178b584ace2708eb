// The selected node: its conditions and sums, and the best split of each feature.
// Needs table (words), search (searched), trees (nodeAt), state (selected, shown, state, take), texts (condition, face, short),
// elements (button, byId, cell, division, element), cuts (cutsOfFeature); in functions drawing (draw).

function drawNode() {
  const { part, split } = selected();
  const { features, choice } = searched(part);
  const way = state.at.map((child, depth) => condition(nodeAt(shown().root, state.at.slice(0, depth)).split, child));
  byId("way").replaceChildren(...(way.length ? way : ["All rows"]).map((text) => element("li", {}, text)));
  byId("counts").textContent = face.sums(part.sums, 0);
  byId("advice").textContent = choice ? `The policy splits by ${words.features[choice.feature]}.` : "The policy stops here.";
  byId("cut").disabled = !split;
  byId("features").replaceChildren(...features.flatMap((found) => featureRows(found, part, split?.feature === found.feature)));
}

// The columns of a feature after its name: the score, the p-value if there are any, and the children.
const nColumns = face.hasPValues ? 3 : 2;

// The row of a feature, and below it its cuts while they are shown.
function featureRows(found, part, isTaken) {
  const name = words.features[found.feature];
  const titled = (...inside) => element("th", { scope: "row" }, ...inside);
  if (!found.split) return [element("tr", { class: "none" }, titled(name), element("td", { colspan: nColumns }, "no split"))];
  const isShown = found.cuts && state.feature === found.feature;
  const takes = button(name, () => take(found.split), { class: "take", "aria-pressed": isTaken, title: condition(found.split, 0) });
  const figures = [short(found.score), ...(face.hasPValues ? [short(found.pValue, 2)] : [])].map(cell);
  const title = titled(takes, ...(found.cuts ? [buttonOfCuts(found.feature, isShown)] : []));
  const row = element("tr", isTaken ? { class: "now" } : {}, title, ...figures, cell(division(found.split, found.children, part)));
  return isShown ? [row, element("tr", {}, element("td", { colspan: nColumns + 1 }, cutsOfFeature(found, part)))] : [row];
}

function buttonOfCuts(feature, isShown) {
  const look = () => {
    state.feature = isShown ? null : feature;
    draw();
    document.querySelector("#features input")?.focus();
  };
  return button("cuts", look, { class: "curves", "aria-expanded": isShown, "aria-label": `Cuts of ${words.features[feature]}` });
}
