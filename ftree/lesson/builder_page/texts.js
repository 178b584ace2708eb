// Numbers, conditions and sums as texts; elements of the page, such as bars.

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

// What holds for the rows of a child of a split.
function condition(split, child) {
  const { feature, at } = split;
  const [name, texts] = [words.features[feature], words.values[feature]];
  if (split.type === "Threshold") return `${name} ${child ? ">" : "<="} ${texts[Math.floor(at)] ?? valueText(feature, at)}`;
  const childOf = splitTypes[split.type].childOf(split);
  const own = texts.filter((_, code) => childOf(code) === child);
  return own.length === 1 ? `${name} = ${own[0]}` : `${name} in {${own.join(", ")}}`;
}

function sumsText(sums, centre = 0) {
  const counts = () => Array.from(sums, (count, label) => `${short(count, 6)} ${words.classes[label]}`).join(", ");
  return ofClasses ? counts() : `mean ${answerText(meanOf(sums, centre))}, ${short(sums[0], 6)} cases`;
}

const byId = (id) => document.getElementById(id);
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
