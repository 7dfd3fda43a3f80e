// SPDX-License-Identifier: BSD-3-Clause
/* What a page opens on: cards, advice, a whole in parts, what has no value. */
import * as format from "../format.js";
import { colourOf, Word } from "./word.jsx";

/* An estimate has an error: its size, or null where that is not known. */
function valueText({ value, unit, error }) {
  const text = typeof value === "string" && !format.isNumber(value) ? value : format.withError(value, error);

  return `${text}${unit ? ` ${unit}` : ""}${error === null ? " (estimated)" : ""}`;
}

const changeText = (percent) => (format.isNumber(percent) ? format.change(percent) : "was 0");

/* One number each, with its verdict and what is wanted of it. */
export function CardsPart({ part }) {
  return (
    <ul class="cards">
      {part.items.map((item, i) => (
        <li key={i} class={`card ${colourOf(item.verdict)}`} title={item.text}>
          <span class="card-name">{item.name}</span>
          <b class="card-value">{item.change === undefined ? valueText(item) : changeText(item.change)}</b>
          <span class="card-foot">
            {item.verdict && <Word text={item.verdict} />}
            {item.goal && <span>{item.goal}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

const LONG = 300; /* letters: a list, which is folded */

/* "a is poor: do this; next: -e X": what comes before the first colon is strong. */
function Advice({ text }) {
  const at = text.indexOf(": ");

  if (at < 0 || at > 80) return <>{text}</>;
  if (text.length > LONG)
    return (
      <details>
        <summary>{text.slice(0, at)} …</summary>
        {text.slice(at + 2)}
      </details>
    );
  return (
    <>
      <b>{text.slice(0, at)}</b>
      {text.slice(at)}
    </>
  );
}

export function ListPart({ part }) {
  return (
    <ul class="advice">
      {part.items.map((text, i) => (
        <li key={i}>
          <Advice text={text} />
        </li>
      ))}
    </ul>
  );
}

/* Parts of a whole as one bar, each named below it with its share. */
export function StackPart({ part }) {
  const total = part.total || part.items.reduce((sum, item) => sum + (item.value || 0), 0);
  const items = part.items.filter((item) => item.value > 0);
  const share = (item) => (100 * item.value) / total;

  return (
    <>
      <div class="stack" aria-hidden="true">
        {items.map((item, i) => (
          <span key={i} class={`ink${(item.ink ?? i) % 8}`} style={{ width: `${share(item)}%` }} title={item.name}>
            {share(item) >= 7 ? format.percent(share(item), 0) : ""}
          </span>
        ))}
      </div>
      <ul class="stack-names">
        {items.map((item, i) => (
          <li key={i} title={item.text}>
            <span class={`swatch ink${(item.ink ?? i) % 8}`} aria-hidden="true" />
            <span class="stack-name">{item.name}</span>
            <b>{format.percent(share(item))}</b>
            <span class="quietly">{`${format.compact(item.value)} ${part.unit || ""}`}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/* What has no value, by the reason: [{ reason, names }]. */
export function Folded({ items, what }) {
  const n = items.reduce((sum, item) => sum + item.names.length, 0);

  if (n === 0) return null;
  return (
    <details class="folded">
      <summary>
        {n} {what || (n === 1 ? "row" : "rows")} without a value
      </summary>
      <ul>
        {items.map((item) => (
          <li key={item.reason}>
            {item.names.join(", ")}: <span class="quietly">{item.reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
