// SPDX-License-Identifier: BSD-3-Clause
/*
 * A table that sorts and, when it is long, draws only the rows in sight.
 *
 * columns: [{ id, name, title?, align?, value(row), cell?(row), heading?,
 * first?, mark?(row), width? }]. A column sorts by value(); first is 1 or -1,
 * the order that a first click gives (-1 for numbers); mark() gives a class for
 * the cell. Rows have all one height. If all columns have a width, in pixels,
 * the browser need not look at every cell to lay out the table.
 */
import { Component } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

const ROW = 30; /* pixels, as in style.css; another one is the property row */
const DRAW_ALL = 120; /* rows; beyond only those in sight are drawn */
const MARGIN = 8;

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
      class={`${sideOf(column)} ${column.class || ""}`}
      style={column.width && { width: `${column.width}px` }}
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

const sideOf = (column) => (column.align === "right" ? "num" : "");

function tableStyle(columns) {
  if (!columns.every((column) => column.width)) return undefined;
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  return { tableLayout: "fixed", width: `max(100%, ${width}px)` };
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
      <table aria-rowcount={shown.length + 1} style={tableStyle(columns)}>
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
              <Row
                key={key}
                name={key}
                row={row}
                columns={columns}
                place={from + i + 2}
                chosen={chosen !== undefined && key === chosen}
                choose={choose}
                menu={menu}
              />
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

/* Drawn anew only if something in it is new: scrolling moves rows, no more. */
class Row extends Component {
  shouldComponentUpdate(next) {
    const { row, columns, chosen, place } = this.props;

    return next.row !== row || next.columns !== columns || next.chosen !== chosen || next.place !== place;
  }

  render() {
    const { name, row, columns, place, chosen } = this.props;

    return (
      <tr
        data-key={name}
        aria-rowindex={place}
        class={`${chosen ? "chosen" : ""} ${this.props.choose ? "can" : ""}`}
        onClick={() => this.props.choose?.(row)}
        onContextMenu={(event) => {
          if (!this.props.menu) return;
          event.preventDefault();
          this.props.menu(row);
        }}
      >
        {columns.map((column) => (
          <Cell column={column} row={row} key={column.id} />
        ))}
      </tr>
    );
  }
}

function Cell({ column, row }) {
  const content = column.cell ? column.cell(row) : column.value(row);
  const mark = column.mark?.(row);
  const kind = `${sideOf(column)} ${column.class || ""} ${mark || ""}`;

  if (column.heads)
    return (
      <th scope="row" class={kind}>
        {content}
      </th>
    );
  return <td class={kind}>{content}</td>;
}
