// SPDX-License-Identifier: BSD-3-Clause
/* The machine code of a function, with the samples of each instruction. */
import { useMemo } from "preact/hooks";

import { readBlock } from "../blocks.js";
import * as format from "../format.js";
import { Grid } from "../grid.jsx";
import { Note, usePromise } from "../ui.jsx";

/* Code is that of the function that others were inlined into. */
function ownerOf(profile, sums, f) {
  if (profile.functions[f]?.address !== null) return f;
  for (const location of sums.addresses.keys()) {
    const { frames } = profile.locations[location];
    if (frames.some(([g]) => g === f)) return frames[frames.length - 1][0];
  }
  return f;
}

/* [{ address, text, n, file, line }] of function @f. */
function rowsOf(profile, sums, f, code) {
  const { object } = profile.functions[f];
  const at = new Map();

  for (const [location, n] of sums.addresses) {
    const l = profile.locations[location];
    if (l.object !== object) continue;
    const [, file, line] = l.frames[0];
    at.set(l.address, { n: (at.get(l.address)?.n || 0) + n, file, line });
  }
  return code.map(([address, text]) => ({ address, text, n: 0, file: null, line: null, ...at.get(address) }));
}

/* Without leading zeros. */
const plain = (text) => text.replace(/0x0+(?=[0-9A-F])/g, "0x");

export function Assembly({ index, profile, sums, chosen, choose }) {
  const { value, fault } = usePromise(() => readBlock(`assembly-${index}`), [index]);
  const owner = useMemo(() => ownerOf(profile, sums, chosen), [profile, sums, chosen]);
  const found = value?.functions.find((entry) => entry.function === owner);
  const rows = useMemo(() => (found ? rowsOf(profile, sums, owner, found.code) : []), [profile, sums, owner, found]);
  const most = rows.reduce((max, r) => Math.max(max, r.n), 0);
  const place = (r) => (r.file === null || r.line === null ? "" : `${profile.files[r.file].path.split("/").pop()}:${r.line}`);
  const columns = [
    {
      id: "n",
      name: "Samples",
      align: "right",
      value: (r) => r.n,
      cell: (r) =>
        r.n > 0 && (
          <span class="heat-cell" title={`${format.count(r.n)} samples`}>
            <span class="heat" style={{ width: `${(100 * r.n) / most}%` }} />
            <span class="heat-text">{format.percent((100 * r.n) / sums.sum)}</span>
          </span>
        ),
    },
    { id: "text", name: "Instruction", heads: true, value: (r) => r.text, cell: (r) => <code>{plain(r.text)}</code> },
    { id: "line", name: "Line", value: place },
    { id: "address", name: "Address", value: (r) => r.address, cell: (r) => <code>{format.address(r.address)}</code> },
  ];

  if (fault) return <Note>The machine code cannot be read: {fault}.</Note>;
  if (!value) return <Note>Reading the machine code …</Note>;
  if (value.reason) return <Note>No machine code: {value.reason}.</Note>;
  if (!found)
    return <Note>No machine code of this function: its file is not here, has changed since, has no build id, or is not of x86-64.</Note>;
  return (
    <Grid
      class="assembly"
      label={`Machine code of ${profile.functions[owner].name}`}
      columns={columns}
      rows={rows}
      rowKey={(r) => r.address}
      start={rows.findIndex((r) => r.n > 0 && r.n === most)}
      choose={(r) => r.file !== null && choose(r)}
    />
  );
}
