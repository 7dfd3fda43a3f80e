// SPDX-License-Identifier: BSD-3-Clause
/*
 * A table that sorts and, when it is long, draws only the rows in sight.
 *
 * columns: [{ id, name, title?, align?, value(row), cell?(row), heading?,
 * first? }]. A column sorts by value(); first is 1 or -1, the order that a
 * first click gives (-1 for numbers). Rows have all one height.
 */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

const ROW = 30; /* pixels, as in style.css; another one is the property row */
const DRAW_ALL = 120; /* rows; beyond only those in sight are drawn */
const MARGIN = 12;

function order(rows, column, direction) {
  const sorted = rows.slice();
  const rank = (value) => (value === null || value === undefined || Number.isNaN(value) ? 1 : 0);

  sorted.sort((a, b) => {
    const x = column.value(a);
    const y = column.value(b);
    if (rank(x) || rank(y)) return rank(x) - rank(y); /* none is last */
    if (typeof x === "string") return direction * x.localeCompare(y, "en", { numeric: true });
    return direction * (x - y);
  });
  return sorted;
}

function useWindow(n, row, box) {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);

  useLayoutEffect(() => {
    const look = () => setHeight(box.current?.clientHeight || 600);
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    look();
    return () => watch.disconnect();
  }, []);
  if (n <= DRAW_ALL) return { from: 0, to: n, scroll: () => {} };
  const from = Math.max(0, Math.floor(top / row) - MARGIN);
  const to = Math.min(n, Math.ceil((top + height) / row) + MARGIN);
  return { from, to, scroll: (event) => setTop(event.currentTarget.scrollTop) };
}

export function useSort(columns, start) {
  const [sort, setSort] = useState(start);
  const column = columns.find((c) => c.id === sort.id) || columns[0];

  return {
    id: column.id,
    direction: sort.direction,
    column,
    by: (next) =>
      setSort(
        next.id === column.id
          ? { id: next.id, direction: -sort.direction }
          : { id: next.id, direction: next.first || -1 },
      ),
  };
}

function Head({ column, sort }) {
  const chosen = sort && sort.id === column.id;

  return (
    <th
      scope="col"
      class={`${column.align || ""} ${column.class || ""}`}
      aria-sort={chosen ? (sort.direction > 0 ? "ascending" : "descending") : undefined}
    >
      {sort ? (
        <button
          type="button"
          title={column.title}
          onClick={() => sort.by(column)}
        >
          {column.heading || column.name}
          <span class="arrow" aria-hidden="true">
            {chosen ? (sort.direction > 0 ? "▲" : "▼") : ""}
          </span>
        </button>
      ) : (
        <span title={column.title}>{column.heading || column.name}</span>
      )}
      {column.tool}
    </th>
  );
}

export function Grid(props) {
  const { label, columns, rows, sort, rowKey, chosen, choose, menu } = props;
  const box = useRef();
  const shown = useMemo(
    () => (sort ? order(rows, sort.column, sort.direction) : rows),
    [rows, sort && sort.column, sort && sort.direction],
  );
  const height = props.row || ROW;
  const { from, to, scroll } = useWindow(shown.length, height, box);

  return (
    <div class={`grid ${props.class || ""}`} ref={box} onScroll={scroll} tabIndex={0} role="region" aria-label={label}>
      <table aria-rowcount={shown.length + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head column={column} sort={sort} key={column.id} />
            ))}
          </tr>
        </thead>
        <tbody>
          {from > 0 && <tr class="gap" style={{ height: `${from * height}px` }} aria-hidden="true" />}
          {shown.slice(from, to).map((row, i) => {
            const key = rowKey ? rowKey(row) : from + i;
            return (
              <tr
                key={key}
                data-key={key}
                aria-rowindex={from + i + 2}
                class={`${chosen !== undefined && key === chosen ? "chosen" : ""} ${choose ? "can" : ""}`}
                onClick={choose && (() => choose(row))}
                onContextMenu={
                  menu &&
                  ((event) => {
                    event.preventDefault();
                    menu(row);
                  })
                }
              >
                {columns.map((column) => (
                  <Cell column={column} row={row} key={column.id} />
                ))}
              </tr>
            );
          })}
          {to < shown.length && (
            <tr class="gap" style={{ height: `${(shown.length - to) * height}px` }} aria-hidden="true" />
          )}
        </tbody>
      </table>
      {shown.length === 0 && <p class="empty">{props.empty || "Nothing to show."}</p>}
    </div>
  );
}

function Cell({ column, row }) {
  const content = column.cell ? column.cell(row) : column.value(row);
  const kind = `${column.align || ""} ${column.class || ""}`;

  if (column.heads)
    return (
      <th scope="row" class={kind}>
        {content}
      </th>
    );
  return <td class={kind}>{content}</td>;
}
