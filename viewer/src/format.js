// SPDX-License-Identifier: BSD-3-Clause
/*
 * Numbers as text. What was not measured is a dash, never a zero. Counts that a
 * double cannot hold come as strings of digits: size() is what they are about,
 * count() and datum() show every digit.
 */
const DASH = "–";
const DIGITS = /^-?\d+$/;
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

const isDigits = (value) => typeof value === "string" && DIGITS.test(value);

/* A number, or a count in digits, as a number; anything else as it is. */
export const size = (value) => (isDigits(value) ? Number(value) : value);

export const isNumber = (value) =>
  (typeof value === "number" && Number.isFinite(value)) || isDigits(value);

/* Below zero, zero or above: the order of two numbers or counts in digits. */
export function order(a, b) {
  if (!isDigits(a) && !isDigits(b)) return a - b;
  const [x, y] = [a, b].map((value) => (Number.isInteger(size(value)) ? BigInt(value) : value));
  return x < y ? -1 : x > y ? 1 : 0;
}

/* A whole number with all its digits. */
export function count(value) {
  if (!isNumber(value)) return DASH;
  return grouped.format(isDigits(value) ? BigInt(value) : value);
}

/* Four significant digits, whole numbers in full as long as they are short. */
export function short(number) {
  if (!isNumber(number)) return DASH;
  const value = size(number);
  const abs = Math.abs(value);
  if (value === 0) return "0";
  if (Number.isInteger(value) && abs < 1e7) return grouped.format(value);
  if (abs >= 1e7 || abs < 1e-4) return compact(value);
  if (abs >= 1e3) return grouped.format(value);
  return value.toPrecision(4).replace(/\.?0+$/, "");
}

/* 2.136 ± 0.015: two digits of the error, and as many of the value */
export function withError(number, error) {
  const size = Math.abs(error);
  if (!isNumber(number) || !isNumber(error) || size === 0 || size < 1e-9) return short(number);
  const digits = size < 10 ? 1 - Math.floor(Math.log10(size)) : 0;
  const fixed = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${fixed.format(number)}\u00a0±\u00a0${fixed.format(error)}`;
}

const STEPS = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/* 1.234 M */
export function compact(number) {
  if (!isNumber(number)) return DASH;
  const value = size(number);
  const abs = Math.abs(value);
  for (const [step, letter] of STEPS)
    if (abs >= step) return `${trim(value / step)} ${letter}`;
  if (abs !== 0 && abs < 1e-4) return value.toExponential(2);
  return trim(value);
}

const trim = (value) => {
  const text = value.toPrecision(4);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
};

/* 1.234 s, 12.3 ms */
export function seconds(number) {
  if (!isNumber(number)) return DASH;
  const value = size(number);
  const abs = Math.abs(value);
  if (abs === 0) return "0 s";
  if (abs >= 100) return `${value.toFixed(1)} s`;
  if (abs >= 1) return `${trim(value)} s`;
  if (abs >= 1e-3) return `${trim(value * 1e3)} ms`;
  if (abs >= 1e-6) return `${trim(value * 1e6)} µs`;
  return `${trim(value * 1e9)} ns`;
}

export function percent(value, digits = 1) {
  return isNumber(value) ? `${size(value).toFixed(digits)} %` : DASH;
}

/* +1.5 %, with a true minus sign */
export function change(value) {
  if (!isNumber(value)) return DASH;
  const abs = Math.abs(value);
  if (value === 0) return "0 %";
  let text = abs.toFixed(abs < 10 ? 2 : 1);
  if (abs >= 1000) text = grouped.format(abs);
  else if (abs !== 0 && abs < 0.01) text = abs.toPrecision(1);
  return `${value < 0 ? "−" : "+"}${text} %`;
}

/* 48 KiB; sizes of memory are powers of two more often than not */
export function bytes(number) {
  if (!isNumber(number)) return DASH;
  let value = size(number);
  let step = 0;
  while (step < 4 && Math.abs(value) >= 1024) {
    value /= 1024;
    step++;
  }
  return `${trim(value)} ${["B", "KiB", "MiB", "GiB", "TiB"][step]}`;
}

/* A value of a column, by its kind and unit. */
export function datum(column, value) {
  if (column.kind === "time") return seconds(value);
  if (column.kind === "count") return count(value);
  /* a mean of runs need not be whole */
  if (column.kind === "event") return Math.abs(value) < 1000 && value % 1 ? trim(size(value)) : count(value);
  const text = short(value);
  return column.unit && isNumber(value) ? `${text} ${column.unit}` : text;
}

export function day(started) {
  if (!(started > 0)) return DASH;
  return new Date(started * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
}

export function address(value) {
  return `0x${value.toString(16)}`;
}

/* A simulated machine as people name it: "icx" for the PMU "sim-icx". */
export const model = (name) => (name || "").replace(/^sim-/, "");
