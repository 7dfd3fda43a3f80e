// SPDX-License-Identifier: BSD-3-Clause
/*
 * A table that sorts and, when it is long, draws only the rows in sight.
 *
 * columns: [{ id, name, title?, align?, value(row), cell?(row), heading?,
 * first?, mark?(row), width? }]. A column sorts by value(); first is 1 or -1,
 * the order that a first click gives (-1 for numbers); mark() gives a class for
 * the cell. Rows have all one height. If all columns have a width, in pixels,
 * the browser need not look at every cell to lay out the table. With "ordered"
 * rows stay as they come: headings only say how they are sorted. The row
 * "start" is in the middle at first.
 *
 * Where rows can be chosen, one of them is in the order of Tab: arrows, Home and
 * End move from row to row, Enter chooses. level(row) gives { level, open? }
 * where rows are a tree, and fold(row) opens or closes one, as Left and Right do.
 */
import { Component } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { useAddress } from "./address.js";
import * as format from "./format.js";

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
    if (format.isNumber(x) && format.isNumber(y)) return direction * format.order(x, y);
    return direction * String(x).localeCompare(String(y), "en", { numeric: true });
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
  if (n <= DRAW_ALL) return { from: 0, to: n, scrollTo: () => {} };
  const from = Math.max(0, Math.floor(top / row) - MARGIN);
  const to = Math.min(n, Math.ceil((top + height) / row) + MARGIN);
  return { from, to, scrollTo: setTop };
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/* Which row has the focus, or would get it with Tab, and what keys do. */
function useFocus({ shown, keyOf, from, to, scrollTo, chosen, height, box, props }) {
  const [at, setAt] = useState(null);
  const wanted = useRef(null); /* place of the row to go to, once it is drawn */
  const isDrawn = (i) => i >= from && i < to;
  const place = (key) => (key === null || key === undefined ? -1 : shown.findIndex((row, i) => keyOf(row, i) === key));
  const stop = props.choose ? [place(at), place(chosen), from].find(isDrawn) : -1;

  useLayoutEffect(() => setAt(null), [chosen]);
  useLayoutEffect(() => {
    const row = wanted.current !== null && box.current.querySelector(`tr[aria-rowindex="${wanted.current + 2}"]`);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  });
  const move = (i) => {
    wanted.current = i;
    if (!isDrawn(i)) scrollTo(i * height);
    setAt(keyOf(shown[i], i));
  };
  const turn = (row, open) => {
    if (props.level?.(row).open === open) props.fold(row);
  };
  const press = (event) => {
    const i = Number(event.target.closest("tr").getAttribute("aria-rowindex")) - 2;
    const acts = {
      Enter: () => props.choose(shown[i]),
      ArrowRight: () => turn(shown[i], false),
      ArrowLeft: () => turn(shown[i], true),
    };
    const step = STEPS[event.key];
    const act = step ? () => move(Math.min(shown.length - 1, Math.max(0, i + step))) : acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, button") && !step) return; /* it has keys of its own */
    event.preventDefault();
    act();
  };
  return { stop, press: props.choose && press };
}

/* In the address under @name: the column's id, and "-" for the larger first. */
export function useSort(columns, start, name = "sort") {
  const [text, setText] = useAddress(name);
  const id = text === null ? start.id : text.replace(/-$/, "");
  const column = columns.find((c) => c.id === id) || columns.find((c) => c.id === start.id) || columns[0];
  const direction = text === null || column.id !== id ? start.direction : text.endsWith("-") ? -1 : 1;

  return {
    id: column.id,
    direction,
    column,
    by: (next) => {
      const way = next.id === column.id ? -direction : next.first || -1;
      setText(`${next.id}${way < 0 ? "-" : ""}`);
    },
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
  const { label, columns, rows, sort, rowKey, chosen, choose, menu, level } = props;
  const box = useRef();
  const shown = useMemo(
    () => (sort && !props.ordered ? order(rows, sort.column, sort.direction) : rows),
    [rows, sort && sort.column, sort && sort.direction, props.ordered],
  );
  const height = props.row || ROW;
  useLayoutEffect(() => {
    if (props.start > 0) box.current.scrollTop = (props.start + 1) * height - box.current.clientHeight / 2;
  }, [rows, props.start]);
  const { from, to, scrollTo } = useWindow(shown.length, height, box);
  const keyOf = (row, i) => (rowKey ? rowKey(row) : i);
  const { stop, press } = useFocus({ shown, keyOf, from, to, scrollTo, chosen, height, box, props });
  const role = choose && (level ? "treegrid" : "grid");

  return (
    <div class={`grid ${props.class || ""}`} ref={box} onScroll={(event) => scrollTo(event.currentTarget.scrollTop)} tabIndex={choose ? undefined : 0} role="region" aria-label={label}>
      <table role={role} aria-label={role && label} aria-rowcount={shown.length + 1} style={tableStyle(columns)}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head column={column} sort={sort} key={column.id} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={press}>
          {from > 0 && <tr class="gap" style={{ height: `${from * height}px` }} aria-hidden="true" />}
          {shown.slice(from, to).map((row, i) => {
            const key = keyOf(row, from + i);
            return (
              <Row
                key={key}
                name={key}
                row={row}
                columns={columns}
                place={from + i + 2}
                chosen={chosen !== undefined && key === chosen}
                isSelectable={choose && chosen !== undefined}
                isStop={from + i === stop}
                level={level?.(row)}
                choose={choose}
                menu={menu}
                class={props.rowClass?.(row)}
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
    return ["row", "columns", "chosen", "place", "isStop"].some((name) => next[name] !== this.props[name]);
  }

  render() {
    const { name, row, columns, place, chosen, level } = this.props;

    return (
      <tr
        data-key={name}
        aria-rowindex={place}
        aria-level={level?.level}
        aria-expanded={level?.open}
        aria-selected={this.props.isSelectable ? chosen : undefined}
        tabIndex={this.props.choose && (this.props.isStop ? 0 : -1)}
        class={`${chosen ? "chosen" : ""} ${this.props.choose ? "can" : ""} ${this.props.class || ""}`}
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
