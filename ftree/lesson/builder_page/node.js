// The selected node: the best split of each feature, and the scores of all cuts of a numeric one.

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
