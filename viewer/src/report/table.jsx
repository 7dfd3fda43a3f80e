// SPDX-License-Identifier: BSD-3-Clause
/*
 * A table of a report: sorted by a click, searched if long. Columns that say
 * "more" are shown when asked for; what was looked for, how it is sorted and
 * what is shown stand in the address under the part's place @at.
 */
import { useMemo } from "preact/hooks";

import { useAddress, useAddressFlag } from "../address.js";
import * as format from "../format.js";
import { Grid, useSort } from "../grid.jsx";
import { Check, Search } from "../ui.jsx";
import { Folded } from "./answer.jsx";
import { colourOf, Word } from "./word.jsx";

const hrefOf = (name) => `#event=${encodeURIComponent(name)}`;

function cellOf(column, value) {
  switch (column.kind) {
    case "count":
      return format.count(value);
    case "number":
      return typeof value === "string" && !format.isNumber(value) ? value : format.short(value);
    case "seconds":
      return format.seconds(value);
    case "percent":
      return format.percent(value, 2);
    case "change":
      return format.change(value);
    case "verdict":
      return <Word text={value} />;
    case "item": /* opens the page of what it names */
      return (
        <a class="item" href={hrefOf(value)}>
          <code>{value}</code>
        </a>
      );
    case "code":
      return value ? <code>{value}</code> : "–";
    default:
      return value ?? "–";
  }
}

const isText = (column) => [undefined, "text", "verdict", "code", "item"].includes(column.kind);

/* A part that the table says of each row: which class the row has. */
const rowClass = (part) => (part.mark === undefined ? undefined : (row) => (colourOf(row[part.mark]) === "noise" ? "noise" : ""));

function gridColumns(part, more) {
  return part.columns
    .map((column, i) => ({ column, i }))
    .filter(({ column }) => more || !column.more)
    .map(({ column, i }, k) => ({
      id: String(i),
      name: column.unit ? `${column.name} [${column.unit}]` : column.name,
      title: column.text,
      heads: k === 0,
      align: isText(column) ? "" : "right",
      first: isText(column) ? 1 : -1,
      value: (row) => row[i],
      cell: (row) => cellOf(column, row[i]),
    }));
}

const AS_GIVEN = { id: "", value: () => 0 };

export function TablePart({ part, at }) {
  const [words, setWords] = useAddress(`find${at}`, "");
  const [more, setMore] = useAddressFlag(`more${at}`);
  const columns = useMemo(() => gridColumns(part, more), [part, more]);
  const rows = useMemo(
    () =>
      words
        ? part.rows.filter((row) => row.some((cell) => String(cell).toLowerCase().includes(words.toLowerCase())))
        : part.rows,
    [part, words],
  );
  const sort = useSort([AS_GIVEN, ...columns], { id: "", direction: 1 }, `sort${at}`);
  const hasMore = part.columns.some((column) => column.more);

  return (
    <>
      {(part.rows.length > 12 || hasMore) && (
        <div class="bar">
          {part.rows.length > 12 && (
            <>
              <Search label="Find rows" value={words} set={setWords} />
              <span class="quietly">
                {rows.length} of {part.rows.length}
              </span>
            </>
          )}
          <span class="space" />
          {hasMore && <Check label={part.more || "more columns"} checked={more} set={setMore} />}
        </div>
      )}
      <Grid
        class={part.rows.length > 40 ? "tall" : ""}
        label={part.title || "Table"}
        columns={columns}
        rows={rows}
        sort={sort}
        rowClass={rowClass(part)}
      />
      {part.folded && <Folded items={part.folded} />}
    </>
  );
}
