// SPDX-License-Identifier: BSD-3-Clause
/* Beside the source: what the section's metrics say, the worst first. */
import * as format from "../format.js";
import { Verdict } from "./metrics.jsx";
import { nameOf } from "./model.js";
import { boundsOf, MARKS, verdict } from "./verdict.js";

const RANK = { poor: 0, fair: 1, good: 2 };
const MOST = 6;

/* Metrics of @section with a verdict: [{ column, value, kind }]. */
export function judged(run, section, precision, changed) {
  return run.columns
    .map((column, i) => ({ column, value: section.value[i] }))
    .map((row) => ({ ...row, kind: verdict(row.value, boundsOf(row.column, precision, changed)) }))
    .filter((row) => row.kind)
    .sort((a, b) => RANK[a.kind] - RANK[b.kind]);
}

/* The worst verdict of a section, or null. */
export const worstOf = (run, section, precision, changed) => judged(run, section, precision, changed)[0]?.kind || null;

export const markOf = (kind) => (kind ? MARKS[kind].shape : "▸");

export function VerdictStrip({ run, section, precision, changed, open }) {
  const rows = judged(run, section, precision, changed);

  if (rows.length === 0)
    return <p class="note">No metric of this section has a verdict: no metric with a threshold can be derived from its events.</p>;
  return (
    <div class="verdict-strip">
      {rows.slice(0, MOST).map((row) => (
        <span key={row.column.name} title={row.column.formula}>
          {nameOf(row.column)} <Verdict kind={row.kind}>{format.datum(row.column, row.value)}</Verdict>
        </span>
      ))}
      {rows.length > MOST && (
        <button type="button" class="link" onClick={open}>
          {rows.length - MOST} more
        </button>
      )}
    </div>
  );
}
