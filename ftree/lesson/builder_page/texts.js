// Numbers, answers, sums and conditions as texts.
// Needs table (given, total, train, words), responses (nSums, numberAt), routing (splitTypes).

const short = (number, digits = 3) => String(Number(number.toPrecision(digits)));
const leavesText = (n) => `${n} ${n === 1 ? "leaf" : "leaves"}`;
// The mean of numbers whose sum counts from a centre.
const meanOf = (sums, centre) => numberAt(centre + sums[1] / sums[0]);

// How the page shows what depends on the target. A bar is a list of [start, end, shade], in shares of its width.
const faces = {
  classes: {
    answer: (label) => words.classes[label],
    figure: (accuracy) => `${(100 * accuracy).toFixed(1)} %`,
    sums: (sums) => Array.from(sums, (count, label) => `${short(count, 6)} ${words.classes[label]}`).join(", "),
    // The figures of a row of the tree: the cases of each class if there are few.
    cases: (part) => (nSums <= 3 ? Array.from(part.sums, (count) => short(count, 6)).join(" : ") : short(part.cases, 6)),
    shade: (part) => given.shades[part.answer],
    bar(sums) {
      const [cases, pieces] = [total(sums), []];
      let sum = 0;
      sums.forEach((count, label) => pieces.push([sum / cases, (sum += count) / cases, given.shades[label]]));
      return pieces;
    },
    hasPValues: true,
  },
  numbers: {
    answer: (number) => short(number, 4),
    figure: (error) => short(error, 4),
    sums: (sums, centre) => `mean ${short(meanOf(sums, centre), 4)}, ${short(sums[0], 6)} cases`,
    cases: (part) => short(part.cases, 6),
    shade: () => "var(--frame)",
    // A mark at the mean, in the range of all numbers.
    bar(sums, centre) {
      const place = (meanOf(sums, centre) - lowest) / (highest - lowest || 1);
      return [[0.94 * place, 0.94 * place + 0.06, given.shades[Math.round((given.shades.length - 1) * place)]]];
    },
    hasPValues: false,
  },
};
const face = faces[given.response];
const lowest = train.seen.reduce((one, other) => Math.min(one, other));
const highest = train.seen.reduce((one, other) => Math.max(one, other));

// A number of a condition with all its digits, but for the rounding error of a midpoint; of dates the last that is not later.
function valueText(feature, value) {
  const time = words.times[feature];
  if (time) return timeText(time === "date" ? Math.floor(value / 86400) * 86400 : value, time);
  const near = Number(value.toPrecision(12));
  return String(near === Number(value.toPrecision(15)) ? near : value);
}

// A time as text; one between two microseconds as the earlier one. JavaScript has dates up to 8.64e12 seconds from 1970.
function timeText(seconds, time) {
  if (!(Math.abs(seconds) < 8.64e12)) return String(seconds);
  const near = Math.round(seconds * 1e6);
  const microseconds = BigInt(near) - (near / 1e6 > seconds ? 1n : 0n);
  if (time === "duration") return (seconds < 0 ? "-" : "") + durationText(microseconds < 0n ? -microseconds : microseconds);
  const fraction = ((microseconds % 1000000n) + 1000000n) % 1000000n;
  const digits = fraction % 1000n ? padded(fraction, 6) : padded(fraction / 1000n, 3);
  const [day, clock] = new Date(Number((microseconds - fraction) / 1000n)).toISOString().slice(0, -5).split("T");
  const moment = fraction ? `${clock}.${digits}` : clock.replace(/:00$/, "");
  if (time === "time of day") return moment;
  return (moment === "00:00" ? day : `${day} ${moment}`) + (time === "datetime in UTC" ? "Z" : "");
}
function durationText(microseconds) {
  const [days, seconds, rest] = [microseconds / 86400000000n, (microseconds / 1000000n) % 86400n, microseconds % 1000000n];
  const clock = `${seconds / 3600n}:${padded((seconds / 60n) % 60n, 2)}:${padded(seconds % 60n, 2)}`;
  return (days ? `${days} day${days === 1n ? "" : "s"} ` : "") + clock + (rest ? `.${padded(rest, 6)}` : "");
}
const padded = (number, digits) => String(number).padStart(digits, "0");

// What holds for the rows of a child of a split.
function condition(split, child) {
  const { feature, at } = split;
  const [name, texts] = [words.features[feature], words.values[feature]];
  if (split.type === "Threshold") return `${name} ${child ? ">" : "<="} ${texts[Math.floor(at)] ?? valueText(feature, at)}`;
  const childOf = splitTypes[split.type].childOf(split);
  const own = texts.filter((_, code) => childOf(code) === child);
  return own.length === 1 ? `${name} = ${own[0]}` : `${name} in {${own.join(", ")}}`;
}
