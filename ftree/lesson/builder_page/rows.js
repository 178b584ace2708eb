// Sets of rows. A *part* is { rows, weights, depth, cases, sums, risk, whole, answer }: rows, the weight of each, and what they
// add up to. A *run* is { feature, values, sums, whole, cases, share }: the known values of a feature in a part, in order, with
// their sums. Needs table (keyBits, total, train), responses (add, casesOf, nSums, noSums, response).

function partOf(rows, weights, depth, above) {
  const part = { rows, weights, depth, cases: total(weights), sums: noSums(), risk: 0 };
  response.sumUp(part);
  part.whole = part.cases > 0 ? part.sums : above.whole; // a child without cases answers as the nearest node above that has some
  part.answer = response.answer(part.whole);
  return part;
}

// Numbers count from the part's centre.
function runOf(part, feature) {
  const { codes } = train.columns[feature];
  // Code and place in one number, since the browser sorts numbers fast. `builder_policies.py` gives both enough bits.
  const keys = new Uint32Array(part.rows.length);
  const mostPlaces = 2 ** keyBits;
  let known = 0;
  part.rows.forEach((row, place) => codes[row] >= 0 && (keys[known++] = codes[row] * mostPlaces + place));
  const run = { feature, values: [], sums: new Float64Array(known * nSums), whole: noSums() };
  let [start, last] = [-nSums, -1];
  for (const key of keys.subarray(0, known).sort()) {
    if (last !== key >>> keyBits) {
      run.values.push((last = key >>> keyBits));
      start += nSums;
    }
    const place = key & (mostPlaces - 1);
    response.put(run.sums, start, train.target[part.rows[place]], part.weights[place], part.centre);
  }
  run.values.forEach((_, place) => add(run.whole, run.sums, place * nSums));
  run.cases = casesOf(run.whole);
  run.share = known === part.rows.length ? 1 : run.cases / part.cases;
  return run;
}
const sumsOf = (run, place) => run.sums.subarray(place * nSums, (place + 1) * nSums);

// All rows, in which gains of numbers are shares of the variance.
const all = partOf(train.rows, train.weights, 0);
const scale = all.risk ? all.cases / all.risk : 1;
