"use strict";
// The tables that Python wrote into the page, with their columns as arrays; and sums of numbers. What `given` has, `page_data` of
// builder_data.py tells.

const given = JSON.parse(document.getElementById("given").textContent);
const { policy, words, rule, keyBits, limits } = given;

function decoded({ n, columns, target, weights, unit, counts }) {
  const buffer = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const floats = (text) => new Float64Array(text ? buffer(text) : new Float64Array(n).fill(1));
  const codes = (bytes) => (bytes.byteLength === n ? new Int8Array(bytes) : new Int16Array(bytes));
  return {
    rows: Int32Array.from({ length: n }, (_, row) => row),
    weights: floats(weights),
    times: floats(counts && weights), // how many equal cases a row stands for
    unit, // of the parts of a case
    target: floats(target), // classes, or numbers in units
    seen: floats(target), // classes, or numbers, with which answers are compared
    columns: columns.map((each) => ({ codes: codes(buffer(each.codes)), values: each.values && floats(each.values) })),
    children: new WeakMap(), // what `childIn` has made of a split
  };
}
const [train, test] = [given.train, given.test].map((table) => table && decoded(table));

function total(numbers) {
  let sum = 0;
  for (let place = 0; place < numbers.length; place++) sum += numbers[place];
  return sum;
}
