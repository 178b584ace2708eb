// Scores of a division in two or more children, each given by its sums: gain, gain ratio; and the p-value of chi-squared.
// Needs table (limits, policy, total), responses (add, casesOf, noSums, response).

function sumOver(sums, cases, term) {
  let sum = 0;
  for (let place = 0; place < sums.length; place++) if (sums[place] > 0) sum += term(sums[place] / cases);
  return sum;
}

const impurities = {
  "criteria.entropy": (sums, cases) => Math.abs(sumOver(sums, cases, (share) => share * Math.log2(share))),
  "criteria.gini": (sums, cases) => sumOver(sums, cases, (share) => share * (1 - share)),
  "criteria.misclassification": (sums, cases) => 1 - Math.max(...sums) / cases,
};
const entropy = impurities["criteria.entropy"];
const impurity = impurities[policy.impurity.type];

// The gain: of classes the decrease in impurity; of numbers the variance between the children, as a share of that of all rows.
const inAll = noSums(); // made once, since a table may have a hundred thousand cuts
function sumsOfAll(children) {
  inAll.fill(0);
  for (const sums of children) add(inAll, sums);
  return inAll;
}
// The mean of a figure of the children, by their cases; children without cases do not count.
function meanOverChildren(children, cases, figure) {
  let sum = 0;
  for (const sums of children) {
    const own = casesOf(sums);
    if (own > 0) sum += (own / cases) * figure(sums, own);
  }
  return sum;
}
function decreaseInImpurity(children) {
  const whole = sumsOfAll(children);
  const cases = total(whole);
  const decrease = impurity(whole, cases) - meanOverChildren(children, cases, impurity);
  return decrease <= 0 && decrease > -limits.rounding ? 0 : decrease;
}
function varianceBetween(children) {
  const [cases, sum] = sumsOfAll(children);
  return meanOverChildren(children, cases, (sums, own) => (sums[1] / own - sum / cases) ** 2);
}

const splitInformation = (children) => entropy(children.map(casesOf), total(children.map(casesOf)));
const ratio = (one, other) => (other > 0 ? one / other : 0);
const scores = {
  "criteria.gain": response.gain,
  "criteria.gain_ratio": (children) => ratio(response.gain(children), splitInformation(children)),
};
const score = scores[policy.score.type];

// The probability of Pearson's statistic, the sum of (observed - expected)^2 / expected, if split and class are independent.
function pValue(children) {
  const present = children.filter((sums) => casesOf(sums) > 0);
  const whole = present.reduce((sums, more) => add(sums, more), noSums());
  const expected = (sums, label) => (casesOf(sums) * whole[label]) / total(whole);
  const term = (sums) => (count, label) => (whole[label] > 0 ? (count - expected(sums, label)) ** 2 / expected(sums, label) : 0);
  const freedom = (present.length - 1) * (whole.filter((count) => count > 0).length - 1);
  return upperTail(freedom / 2, total(present.map((sums) => total(sums.map(term(sums))))) / 2);
}
// The upper tail of chi-squared: a series, or where x is large a continued fraction (Abramowitz & Stegun 6.5.29 and 6.5.31).
function upperTail(a, x) {
  if (a <= 0 || x <= 0) return 1;
  let logGamma = a % 1 ? Math.log(Math.PI) / 2 : 0;
  for (let factor = a - 1; factor > 0; factor--) logGamma += Math.log(factor);
  const first = Math.exp(a * Math.log(x) - x - logGamma);
  let [term, sum, fraction] = [1 / a, 1 / a, x + 401 - a];
  for (let next = a + 1; term > sum * 2 ** -54 && x < a + 1; next++) sum += term *= x / next;
  for (let n = 200; n > 0; n--) fraction = x + 2 * n - 1 - a - (n * (n - a)) / fraction;
  return x < a + 1 ? Math.max(0, 1 - first * sum) : first / fraction;
}
