// SPDX-License-Identifier: BSD-3-Clause
/* Who calls a function, and whom it calls, with the samples that came by. */
import { useMemo } from "preact/hooks";

import * as format from "../format.js";
import { Grid, useSort } from "../grid.jsx";
import { Note } from "../ui.jsx";
import { callsOf, hasStacks } from "./model.js";

function CallGrid({ label, rows, profile, sum, name, pick }) {
  const columns = [
    { id: "name", name: label, heads: true, first: 1, value: (r) => profile.functions[r.f].name },
    {
      id: "n",
      name: "Samples",
      align: "right",
      value: (r) => r.n,
      cell: (r) => format.count(r.n),
    },
    {
      id: "share",
      name: "Of the function",
      align: "right",
      value: (r) => r.n,
      cell: (r) => (
        <>
          {format.percent((100 * r.n) / sum)}
          <span class="share" aria-hidden="true">
            <span style={{ width: `${(100 * r.n) / sum}%` }} />
          </span>
        </>
      ),
    },
  ];
  const sort = useSort(columns, { id: "n", direction: -1 }, name);

  return <Grid label={label} columns={columns} rows={rows} sort={sort} rowKey={(r) => r.f} choose={(r) => pick(r.f)} empty="None." />;
}

export function Calls({ profile, samples, chosen, pick }) {
  const calls = useMemo(() => callsOf(profile, samples, chosen), [profile, samples, chosen]);
  const fn = profile.functions[chosen];

  if (!hasStacks(profile)) return <Note>Recorded without call stacks (assay record -g): callers are not known.</Note>;
  return (
    <div class="metrics">
      <p class="note">
        <b>{fn?.name}</b>: {format.count(calls.total)} samples, {format.count(calls.own)} in the function itself. Choose a caller or a callee to
        go there.
      </p>
      <CallGrid label="Called by" rows={calls.callers} profile={profile} sum={calls.total || 1} name="callersort" pick={pick} />
      <CallGrid label="Calls" rows={calls.callees} profile={profile} sum={calls.total || 1} name="calleesort" pick={pick} />
    </div>
  );
}
