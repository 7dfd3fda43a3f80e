// SPDX-License-Identifier: BSD-3-Clause
/* Left: the sections, with exclusive and inclusive time and count. */
import { useMemo } from "preact/hooks";

import * as format from "../format.js";
import { Grid, useSort } from "../grid.jsx";
import { Choice, Search } from "../ui.jsx";
import { compareRow, countOf, imbalance, letter, matches, measuresOf } from "./model.js";

function Share({ value, total }) {
  const part = total > 0 && value > 0 ? value / total : 0;

  return (
    <span class="share" aria-hidden="true">
      <span style={{ width: `${(part * 100).toFixed(2)}%` }} />
    </span>
  );
}

function Name({ section }) {
  const file = section.file.split("/").pop();

  return (
    <span class="name">
      <button type="button" class="link" tabIndex={-1} title={section.label}>
        {section.label || "(no label)"}
      </button>
      <span class="place">
        {file ? `${file}:${section.first}` : section.kind}
        {section.kind === "thread" && " · per thread"}
        {section.reason && <abbr title={`Events without a value: ${section.reason}`}> · not counted</abbr>}
        {section.short && (
          <abbr title="One activation takes less than 20 times what the calls cost: its numbers are in doubt"> · short</abbr>
        )}
      </span>
    </span>
  );
}

export function ChangeMark({ row }) {
  if (!row) return <span class="none">–</span>;
  if (row.result === "one-sided") return <span class="none">only in one</span>;
  if (row.result === "same") return <span class="none">same</span>;
  const sure = row.result === "different";
  return (
    <span
      class={`change ${sure ? "sure" : "unsure"}`}
      title={
        sure
          ? "A difference that is not noise"
          : "Not resolvable from noise: the runs vary as much, or nothing is known of how they vary"
      }
    >
      {sure ? (row.percent < 0 ? "▼ " : "▲ ") : "≈ "}
      {format.isNumber(row.percent) ? format.change(row.percent) : "was 0"}
    </span>
  );
}

export function SectionList(props) {
  const { data, run, runIndex, words, setWords, measure, setMeasure, chosen, choose, open } = props;
  const measures = measuresOf(run);
  const by = measures.find((m) => m.id === measure) || measures[0];
  const total = useMemo(
    () => run.sections.reduce((sum, s) => sum + (by.exclusive(s) || 0), 0),
    [run, by.id],
  );
  const rows = useMemo(() => run.sections.filter((s) => matches(s, words)), [run, words]);
  const value = (column, number) => (column.kind === "time" ? format.seconds(number) : format.compact(number));

  const columns = [
    {
      id: "section",
      name: "Section",
      first: 1,
      heads: true,
      class: "section",
      value: (s) => s.label,
      cell: (s) => <Name section={s} />,
    },
    {
      id: "exclusive",
      name: "Exclusive",
      title: "Without inner sections. Of several tasks and threads: time of the slowest, events of all",
      align: "right",
      value: by.exclusive,
      cell: (s) => (
        <>
          <span title={format.count(by.exclusive(s))}>{value(by.column, by.exclusive(s))}</span>
          <Share value={by.exclusive(s)} total={total} />
        </>
      ),
    },
    {
      id: "inclusive",
      name: "Inclusive",
      title: "With inner sections",
      align: "right",
      value: by.inclusive,
      cell: (s) => value(by.column, by.inclusive(s)),
    },
    {
      id: "count",
      name: "Count",
      title: "How often it was entered",
      align: "right",
      value: (s) => countOf(run, s),
      cell: (s) => format.count(countOf(run, s)),
    },
  ];
  if (runIndex > 0)
    columns.splice(2, 0, {
      id: "change",
      name: `vs ${letter(0)}`,
      title: `Exclusive time or inclusive count against run ${letter(0)}`,
      align: "right",
      value: (s) => compareRow(data, runIndex, s, by.id === "time" ? "ExcSec" : by.id)?.percent,
      cell: (s) => <ChangeMark row={compareRow(data, runIndex, s, by.id === "time" ? "ExcSec" : by.id)} />,
    });
  if (run.sections.some((s) => s.max) && by.id === "time" && run.tasks > 1)
    columns.push({
      id: "imbalance",
      name: "Imbal.",
      title: "How far the slowest task or thread is above the mean",
      align: "right",
      value: (s) => imbalance(run, s),
      cell: (s) => {
        const x = imbalance(run, s);
        return x === null ? "–" : format.percent(x * 100, x < 0.1 ? 1 : 0);
      },
    });
  const sort = useSort(columns, { id: "exclusive", direction: -1 });

  return (
    <section class="left" aria-label="Sections">
      <div class="bar">
        <Search id="search" label="Find sections" value={words} set={setWords} />
        <Choice label="by" options={measures.map((m) => [m.id, m.name])} value={by.id} choose={setMeasure} />
      </div>
      <Grid
        class="sections"
        row={46}
        label="Sections"
        columns={columns}
        rows={rows}
        sort={sort}
        rowKey={(s) => s.match}
        chosen={chosen}
        choose={choose}
        menu={open}
        empty="No section has these words."
      />
    </section>
  );
}
