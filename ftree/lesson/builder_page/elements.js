// Elements of the page: new ones, and those of builder.html by their names. Needs responses (casesOf), texts (condition, face).

const byId = (id) => document.getElementById(id);

function element(tag, properties = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}
const cell = (text) => element("td", {}, text);
const button = (text, onclick, more) => Object.assign(element("button", { type: "button", ...more }, text), { onclick });

// The classes' shares of the cases, or the mean; nothing for no cases. Sums of numbers count from a centre.
function bar(sums, centre = 0) {
  const styleOf = ([start, end, shade]) => `left:${100 * start}%;width:${100 * (end - start)}%;background:${shade}`;
  const pieces = casesOf(sums) ? face.bar(sums, centre) : [];
  return element("span", { class: "bar", "aria-hidden": "true" }, ...pieces.map((piece) => element("i", { style: styleOf(piece) })));
}

// The children side by side, as wide as they have cases; screen readers read conditions and sums.
function division(split, children, part) {
  const text = children.map((sums, child) => `${condition(split, child)}: ${face.sums(sums, part.centre)}`).join("\n");
  const bars = children.map((sums) => element("span", { style: `flex-grow:${casesOf(sums)}` }, bar(sums, part.centre)));
  return element("span", { class: "division", title: text }, ...bars, element("span", { class: "unseen" }, text));
}
