// SPDX-License-Identifier: BSD-3-Clause
/* Numbers as text. What was not measured is a dash, never a zero. */
const DASH = "–";
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export const isNumber = (value) =>
  typeof value === "number" && Number.isFinite(value);

/* A whole number with all its digits. */
export function count(value) {
  return isNumber(value) ? grouped.format(value) : DASH;
}

/* Four significant digits, whole numbers in full as long as they are short. */
export function short(value) {
  if (!isNumber(value)) return DASH;
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (Number.isInteger(value) && size < 1e7) return grouped.format(value);
  if (size >= 1e7 || size < 1e-4) return compact(value);
  if (size >= 1e3) return grouped.format(value);
  return value.toPrecision(4).replace(/\.?0+$/, "");
}

const STEPS = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/* 1.234 M */
export function compact(value) {
  if (!isNumber(value)) return DASH;
  const size = Math.abs(value);
  for (const [step, letter] of STEPS)
    if (size >= step) return `${trim(value / step)} ${letter}`;
  if (size !== 0 && size < 1e-4) return value.toExponential(2);
  return trim(value);
}

const trim = (value) => {
  const text = value.toPrecision(4);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
};

/* 1.234 s, 12.3 ms */
export function seconds(value) {
  if (!isNumber(value)) return DASH;
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size >= 100) return `${value.toFixed(1)} s`;
  if (size >= 1) return `${trim(value)} s`;
  if (size >= 1e-3) return `${trim(value * 1e3)} ms`;
  if (size >= 1e-6) return `${trim(value * 1e6)} µs`;
  return `${trim(value * 1e9)} ns`;
}

export function percent(value, digits = 1) {
  return isNumber(value) ? `${value.toFixed(digits)} %` : DASH;
}

/* +1.5 %, with a true minus sign */
export function change(value) {
  if (!isNumber(value)) return DASH;
  const size = Math.abs(value);
  if (value === 0) return "0 %";
  let text = size.toFixed(size < 10 ? 2 : 1);
  if (size >= 1000) text = grouped.format(size);
  else if (size !== 0 && size < 0.01) text = size.toPrecision(1);
  return `${value < 0 ? "−" : "+"}${text} %`;
}

/* 48 KiB; sizes of memory are powers of two more often than not */
export function bytes(value) {
  if (!isNumber(value)) return DASH;
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
  if (column.kind === "event") return Math.abs(value) < 1000 && value % 1 ? trim(value) : count(value);
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
