// SPDX-License-Identifier: BSD-3-Clause
/* An event over text addresses, with the functions below. */
import { useMemo, useState } from "preact/hooks";

import { Chart } from "../chart.jsx";
import * as format from "../format.js";
import { Grid, useSort } from "../grid.jsx";
import { Choice, Note } from "../ui.jsx";
import { functionsIn, histogram } from "./model.js";

const BINS = 240;

/* Objects by how much is in them. */
function objectsOf(profile, addresses) {
  const sums = new Map();

  for (const [location, n] of addresses) {
    const { object } = profile.locations[location];
    sums.set(object, (sums.get(object) || 0) + n);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/* Samples in the code of function @f, inlined ones included. */
function weightOf(profile, addresses, object, f) {
  let sum = 0;

  for (const [location, n] of addresses) {
    const l = profile.locations[location];
    if (l.object === object && l.address >= f.address && l.address < f.address + f.size) sum += n;
  }
  return sum;
}

export function Addresses({ profile, sums, event, dark, pick }) {
  const objects = useMemo(() => objectsOf(profile, sums.addresses), [profile, sums]);
  const [chosen, setChosen] = useState(null);
  const object = objects.some(([o]) => o === chosen) ? chosen : objects[0]?.[0];
  const bars = useMemo(
    () => (object === undefined ? null : histogram(profile, sums.addresses, object, BINS)),
    [profile, sums, object],
  );
  const series = useMemo(
    () =>
      bars
        ? [
            {
              name: event.name,
              style: "bars",
              x: bars.counts.map((_, i) => bars.low + i * bars.step),
              y: bars.counts.map((n) => n * event.period),
            },
          ]
        : [],
    [bars, event],
  );
  const functions = useMemo(
    () => (bars ? functionsIn(profile, object, bars.low, bars.high) : []),
    [profile, bars],
  );
  const marks = useMemo(
    () =>
      functions
        .filter((f) => sums.functions.get(profile.functions.indexOf(f))?.total > 0)
        .map((f) => ({ x: f.address, label: f.name, weight: weightOf(profile, sums.addresses, object, f) })),
    [functions, sums],
  );
  const x = useMemo(() => ({ label: "address", hex: true }), []);
  const y = useMemo(() => ({ label: event.name }), [event]);
  const rows = useMemo(
    () =>
      [...sums.addresses]
        .filter(([location]) => profile.locations[location].object === object)
        .map(([location, n]) => {
          const l = profile.locations[location];
          const [f, file, line] = l.frames[0];
          return { address: l.address, n, f, file, line };
        }),
    [profile, sums, object],
  );
  const columns = [
    { id: "address", name: "Address", heads: true, first: 1, value: (r) => r.address, cell: (r) => <code>{format.address(r.address)}</code> },
    { id: "n", name: "Samples", align: "right", value: (r) => r.n, cell: (r) => format.count(r.n) },
    { id: "share", name: "Share", align: "right", value: (r) => r.n, cell: (r) => format.percent((100 * r.n) / sums.sum) },
    { id: "function", name: "Function", first: 1, value: (r) => profile.functions[r.f].name },
    {
      id: "line",
      name: "Line",
      first: 1,
      value: (r) => (r.file === null || r.line === null ? null : `${profile.files[r.file].path}:${r.line}`),
      cell: (r) => (r.file === null || r.line === null ? "–" : `${profile.files[r.file].path.split("/").pop()}:${r.line}`),
    },
  ];
  const sort = useSort(columns, { id: "n", direction: -1 }, "addresssort");

  if (!bars) return <Note>No sample has an address.</Note>;
  return (
    <div class="metrics">
      <div class="bar">
        <Choice
          label="object"
          options={objects.map(([o, n]) => [String(o), `${profile.objects[o].path.split("/").pop()} (${format.percent((100 * n) / sums.sum)})`])}
          value={String(object)}
          choose={(text) => setChosen(Number(text))}
        />
        <span class="quietly">{bars.step > 1 ? `${bars.step} bytes a bar` : "one address a bar"}</span>
      </div>
      <div class="spread">
        <Chart label={`${event.name} over addresses`} series={series} x={x} y={y} marks={marks} height={240} dark={dark} />
      </div>
      <Grid label="Instructions" columns={columns} rows={rows} sort={sort} rowKey={(r) => r.address} choose={(r) => pick(r.f, r)} />
    </div>
  );
}
