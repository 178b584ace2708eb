// The scores of all cuts of a numeric feature as a curve. A slider, or a click, chooses one; a button takes it.
// Needs table (words), state (take), texts (condition, short), elements (button, division, element).

function cutsOfFeature({ feature, cuts }, part) {
  const listed = [...cuts.scores.keys()].filter((cut) => cuts.scores[cut] > -Infinity);
  const { picture, show: mark, nearest } = curveOf(listed, cuts);
  const slider = element("input", { type: "range", max: listed.length - 1, "aria-label": `Cut of ${words.features[feature]}` });
  const [says, bars] = [element("output"), element("div")];
  const choose = (place) => {
    const split = cuts.splitAt(listed[place]);
    slider.value = place;
    mark(place);
    says.textContent = `${condition(split, 0)}, score ${short(cuts.scores[listed[place]])}`;
    slider.setAttribute("aria-valuetext", says.textContent);
    bars.replaceChildren(division(split, cuts.childrenAt(listed[place]), part));
  };
  slider.oninput = () => choose(slider.value);
  picture.onclick = ({ offsetX }) => choose(nearest(offsetX / picture.clientWidth));
  choose(listed.indexOf(cuts.below));
  const splits = button("Split here", () => take(cuts.splitAt(listed[slider.value])));
  return element("div", { class: "cuts" }, picture, slider, says, bars, splits);
}

// The picture of the scores, how a place on it is marked, and the place nearest to a share of its width.
function curveOf(listed, cuts) {
  const [width, height, margin] = [300, 66, 4];
  const ends = listed.map((cut) => cuts.splitAt(cut).at);
  const halfWay = (place) => ends[place] / 2 - ends[0] / 2; // the difference of huge numbers may be infinite
  const x = (place) => margin + (width - 2 * margin) * (halfWay(place) / (halfWay(ends.length - 1) || 1));
  const y = (place) => height - 6 - ((height - 12) * cuts.scores[listed[place]]) / (cuts.scores[cuts.below] || 1);
  const points = listed.map((_, place) => `${x(place).toFixed(1)},${y(place).toFixed(1)}`).join(" ");
  const picture = element("div", { class: "curve" });
  const inside = `<polyline points="${points}" fill="none"/><circle r="4"/>`;
  picture.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Scores">${inside}</svg>`;
  const distance = (place, share) => Math.abs(x(place) - share * width);
  return {
    picture,
    show: (place) => picture.querySelector("circle").setAttribute("transform", `translate(${x(place)} ${y(place)})`),
    nearest: (share) => listed.reduce((best, _, place) => (distance(place, share) < distance(best, share) ? place : best), 0),
  };
}
