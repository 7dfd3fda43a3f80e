// SPDX-License-Identifier: BSD-3-Clause
/*
 * Source, highlighted, with line numbers. Lines may carry numbers of a profile
 * beside them, and stretches of lines may be marked and selected.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { readBlock } from "./blocks.js";
import { highlight } from "./highlight.js";
import { Fault, usePromise } from "./ui.jsx";

const LINE = 20; /* pixels, as in style.css */
const MARGIN = 40;

export function useSource(index) {
  return usePromise(
    () => (index === null || index === undefined ? null : readBlock(`source-${index}`)),
    [index],
  );
}

/* gutter: { of(line) -> { text, title, share } | null, title } */
function Gutter({ entry }) {
  if (!entry) return <span class="gutter" />;
  return (
    <span class="gutter" title={entry.title}>
      <span class="heat" style={{ width: `${Math.round(entry.share * 100)}%` }} />
      <span class="heat-text">{entry.text}</span>
    </span>
  );
}

function Line({ n, html, marks, gutter, selected, focused, select, starts, pick }) {
  return (
    <div class={`line ${marks} ${selected ? "selected" : ""} ${focused ? "focused" : ""}`} data-line={n}>
      {gutter && <Gutter entry={gutter.of(n)} />}
      <span
        class="number"
        onMouseDown={(event) => {
          event.preventDefault();
          select(n, event.shiftKey);
        }}
        onMouseEnter={(event) => event.buttons === 1 && select(n, true)}
        aria-hidden="true"
      >
        {n}
      </span>
      {starts ? (
        <button
          type="button"
          class={`starts ${starts.verdict || ""}`}
          title={`Section ${starts.label}${starts.verdict ? `: ${starts.verdict}` : ""}`}
          onClick={() => pick(starts)}
          tabIndex={-1}
        >
          {starts.mark || "▸"}
        </button>
      ) : (
        <span class="starts" />
      )}
      <code dangerouslySetInnerHTML={{ __html: html || " " }} />
    </div>
  );
}

export function Source(props) {
  const { source, name, focus, gutter, selection, setSelection, sections = [], pick } = props;
  const box = useRef();
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const lines = useMemo(
    () => (source?.value?.text != null ? highlight(source.value.text, name) : null),
    [source?.value, name],
  );
  const starts = useMemo(() => new Map(sections.map((s) => [s.first, s])), [sections]);

  useEffect(() => {
    if (!lines || !focus || !box.current) return;
    const room = box.current.clientHeight;
    const span = Math.min(focus.last - focus.first + 1, room / LINE - 4);
    box.current.scrollTop = Math.max(0, (focus.first - 1 + span / 2) * LINE - room / 2);
    setTop(box.current.scrollTop);
  }, [lines, focus?.first, focus?.last, focus?.again]);

  useEffect(() => {
    if (!box.current) return undefined;
    const watch = new ResizeObserver(() => setHeight(box.current?.clientHeight || 800));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [lines]);

  if (source?.fault) return <Fault text={`The source cannot be read: ${source.fault}.`} />;
  if (source?.value && source.value.text == null)
    return <p class="note">{source.value.reason || "This section names no source file."}</p>;
  if (!lines) return <p class="note">{name ? "Reading the source …" : "No source file is known here."}</p>;

  const from = Math.max(0, Math.floor(top / LINE) - MARGIN);
  const to = Math.min(lines.length, Math.ceil((top + height) / LINE) + MARGIN);
  const inside = (n, range) => range && n >= range.first && n <= range.last;
  const select = (n, extend) => {
    if (!setSelection) return;
    if (extend && selection) {
      const anchor = selection.anchor ?? selection.first;
      setSelection({ anchor, first: Math.min(anchor, n), last: Math.max(anchor, n) });
    } else {
      setSelection({ anchor: n, first: n, last: n });
    }
  };
  const drawn = [];
  for (let n = from + 1; n <= to; n++)
    drawn.push(
      <Line
        key={n}
        n={n}
        html={lines[n - 1]}
        marks={inside(n, focus) ? "inside" : ""}
        focused={focus && (n === focus.first || n === focus.last)}
        selected={inside(n, selection)}
        gutter={gutter}
        select={select}
        starts={starts.get(n)}
        pick={pick}
      />,
    );
  return (
    <div
      class={`source ${gutter ? "counted" : ""}`}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={`Source ${name}`}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="lines" style={{ height: `${lines.length * LINE}px` }}>
        <div class="drawn" style={{ transform: `translateY(${from * LINE}px)` }}>
          {drawn}
        </div>
      </div>
    </div>
  );
}
