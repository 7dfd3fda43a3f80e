// SPDX-License-Identifier: BSD-3-Clause
/*
 * Good or bad, by thresholds that can be changed.
 *
 * A threshold below zero means that values below its size are good or bad, one
 * above zero that values above it are; so performance files have them.
 */
import { isNumber, size } from "../format.js";

const passes = (value, bound) =>
  isNumber(bound) && (bound < 0 ? value < -bound : value > bound);

/* bounds: { good, bad }, either may be null */
export function verdict(number, bounds) {
  const value = size(number);

  if (!isNumber(value) || !bounds) return null;
  if (!isNumber(bounds.good) && !isNumber(bounds.bad)) return null;
  if (passes(value, bounds.good)) return "good";
  if (passes(value, bounds.bad)) return "poor";
  return "fair";
}

export function boundsOf(column, precision, changed) {
  const own = changed[`${column.name} ${precision}`];

  if (own) return own;
  if (column.kind !== "metric") return null;
  return precision === "single"
    ? { good: column.sgood, bad: column.sbad }
    : { good: column.dgood, bad: column.dbad };
}

/* "above 2", "below 0.5" */
export function say(bound) {
  if (!isNumber(bound)) return "";
  return bound < 0 ? `below ${-bound}` : `above ${bound}`;
}

export const MARKS = {
  good: { shape: "▲", word: "good" },
  fair: { shape: "●", word: "fair" },
  poor: { shape: "▼", word: "poor" },
};
