// SPDX-License-Identifier: BSD-3-Clause
/* Left: the sections as a tree, with exclusive and inclusive parts as bars. */
import { useMemo, useState } from "preact/hooks";

import { useAddress } from "../address.js";
import * as format from "../format.js";
import { Grid, useSort } from "../grid.jsx";
import { Choice, Search } from "../ui.jsx";
import { compareRow, countOf, hasTree, imbalance, letter, matches, measuresOf, treeOf } from "./model.js";

function Share({ value, total, kind }) {
  const part = total > 0 && value > 0 ? Math.min(1, value / total) : 0;

  return (
    <span class={`share ${kind || ""}`} aria-hidden="true">
      <span style={{ width: `${(part * 100).toFixed(2)}%` }} />
    </span>
  );
}

function Fold({ row, closed, toggle }) {
  if (!row.inside) return <span class="twist" />;
  const open = !closed.has(row.section.match);
  return (
    <button
      type="button"
      class="twist"
      tabIndex={-1}
      aria-expanded={open}
      aria-label={`Sections inside ${row.section.label}`}
      onClick={(event) => {
        event.stopPropagation();
        toggle(row.section.match);
      }}
    >
      {open ? "▾" : "▸"}
    </button>
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
          <abbr title="One activation takes less than 20 times the cost of the calls that measure it: its numbers are not reliable"> · too short</abbr>
        )}
      </span>
    </span>
  );
}

/*
 * A change with its sign. @better says in which direction things get better (1:
 * up, -1: down, 0: neither), and so its colour; what may be noise is grey.
 */
export function ChangeMark({ row, better = 0 }) {
  if (!row) return <span class="none">–</span>;
  if (row.result === "one-sided") return <span class="none">only in one</span>;
  if (row.result === "same") return <span class="none">same</span>;
  const text = format.isNumber(row.percent) ? format.change(row.percent) : "was 0";
  if (row.result !== "different")
    return (
      <span class="change unsure" title="Not distinguishable from noise: the runs vary as much, or their variation is not known">
        ≈ {text}
      </span>
    );
  const up = row.percent > 0 || !format.isNumber(row.percent);
  const kind = !better ? "sure" : (better > 0) === up ? "better" : "worse";
  return (
    <span class={`change ${kind}`} title={`A difference that is not noise${kind === "sure" ? "" : `: ${kind}`}`}>
      {up ? "▲ " : "▼ "}
      {text}
      {kind !== "sure" && <span class="change-word"> {kind}</span>}
    </span>
  );
}

/* What is compared: exclusive time, or inclusive events. */
const comparedBy = (by) => (by.id === "time" ? "ExcSec" : by.id);

function listColumns({ data, run, runIndex, by, total, tree }) {
  const put = (number) => (by.column.kind === "time" ? format.seconds(number) : format.compact(number));
  const change = (s) => compareRow(data, runIndex, s, comparedBy(by));
  const columns = [
    {
      id: "exclusive",
      name: "Exclusive",
      title: "Without inner sections. Of several tasks and threads: time of the slowest, events of all",
      value: by.exclusive,
      cell: (s) => (
        <>
          <span title={format.count(by.exclusive(s))}>{put(by.exclusive(s))}</span>
          <Share value={by.exclusive(s)} total={total} />
        </>
      ),
    },
    {
      id: "inclusive",
      name: "Inclusive",
      title: "With inner sections",
      value: by.inclusive,
      cell: (s) => (
        <>
          <span title={format.count(by.inclusive(s))}>{put(by.inclusive(s))}</span>
          <Share value={by.inclusive(s)} total={total} kind="inclusive" />
        </>
      ),
    },
    {
      id: "count",
      name: "Count",
      title: "How often it was entered",
      value: (s) => countOf(run, s),
      cell: (s) => format.count(countOf(run, s)),
    },
  ];
  if (runIndex > 0)
    columns.splice(2, 0, {
      id: "change",
      name: `vs ${letter(0)}`,
      title: `Exclusive time or inclusive count against run ${letter(0)}`,
      value: (s) => change(s)?.percent,
      cell: (s) => <ChangeMark row={change(s)} better={-1} />,
    });
  if (run.sections.some((s) => s.max) && by.id === "time" && run.tasks > 1)
    columns.push({
      id: "imbalance",
      name: "Imbal.",
      title: "How far the slowest task or thread is above the mean",
      value: (s) => imbalance(run, s),
      cell: (s) => {
        const x = imbalance(run, s);
        return x === null ? "–" : format.percent(x * 100, x < 0.1 ? 1 : 0);
      },
    });
  const numbers = columns.map((column) => ({ ...column, align: "right" }));
  return [{ id: "section", name: tree ? "Section, inner ones below" : "Section", first: 1, value: (s) => s.label }, ...numbers];
}

/* Columns of sections as columns of rows of the tree. */
const ofRows = (columns, closed, toggle, tree) =>
  columns.map((column) =>
    column.id === "section"
      ? {
          ...column,
          heads: true,
          class: "section",
          value: (row) => column.value(row.section),
          cell: (row) => (
            <span class="branch" style={{ paddingLeft: `${14 * Math.min(row.depth, 12)}px` }}>
              {tree && <Fold row={row} closed={closed} toggle={toggle} />}
              <Name section={row.section} />
            </span>
          ),
        }
      : { ...column, value: (row) => column.value(row.section), cell: (row) => column.cell(row.section) },
  );

export function SectionList(props) {
  const { data, run, runIndex, words, setWords, measure, setMeasure, chosen, choose, open } = props;
  const measures = measuresOf(run);
  const by = measures.find((m) => m.id === measure) || measures[0];
  const total = useMemo(() => Math.max(0, ...run.sections.map((s) => format.size(by.inclusive(s)) || format.size(by.exclusive(s)) || 0)), [run, by.id]);
  const [shape, setShape] = useAddress("shape", "tree");
  const [closed, setClosed] = useState(() => new Set());
  const tree = hasTree(run) && shape === "tree" && !words;
  const toggle = (match) => {
    const next = new Set(closed);
    if (!next.delete(match)) next.add(match);
    setClosed(next);
  };
  const columns = useMemo(() => listColumns({ data, run, runIndex, by, total, tree }), [data, run, runIndex, by.id, tree]);
  const sort = useSort(columns, { id: tree ? "inclusive" : "exclusive", direction: -1 });
  const rows = useMemo(() => {
    if (tree) return treeOf(run.sections, sort.column, sort.direction, closed);
    return run.sections.filter((s) => matches(s, words)).map((section) => ({ section, depth: 0, inside: 0 }));
  }, [run, words, tree, sort.column, sort.direction, closed]);
  const shown = useMemo(() => ofRows(columns, closed, toggle, tree), [columns, closed, tree]);

  return (
    <section class="left" aria-label="List of sections">
      <div class="bar">
        <Search id="search" label="Find sections" value={words} set={setWords} />
        <Choice label="by" options={measures.map((m) => [m.id, m.name])} value={by.id} choose={setMeasure} />
        {hasTree(run) && (
          <Choice
            label="as"
            options={[
              ["tree", "tree"],
              ["list", "list"],
            ]}
            value={shape}
            choose={setShape}
          />
        )}
      </div>
      {run.pmu === "sim" && by.id === "time" && (
        <p class="note">Times are those of the simulator and say nothing about this machine. Sort by cycles instead.</p>
      )}
      <Grid
        class="sections"
        row={46}
        label="Sections"
        columns={shown}
        rows={rows}
        ordered={tree}
        level={tree ? (row) => ({ level: row.depth + 1, open: row.inside ? !closed.has(row.section.match) : undefined }) : undefined}
        fold={(row) => toggle(row.section.match)}
        sort={{ ...sort, column: shown.find((c) => c.id === sort.id) }}
        rowKey={(row) => row.section.match}
        chosen={chosen}
        choose={(row) => choose(row.section)}
        menu={(row) => open(row.section)}
        empty="No section matches."
      />
    </section>
  );
}
