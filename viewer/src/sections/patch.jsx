// SPDX-License-Identifier: BSD-3-Clause
/* Selected lines as a section: the patch is shown, and written if asked. */
import { useState } from "preact/hooks";

import { isServed, sendPatch } from "../blocks.js";
import { Check, Dialog, download, Fault } from "../ui.jsx";
import { freeId, makePatch } from "./patch.js";

function NumberField({ label, value, set, min, max }) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        min={min}
        max={max}
        value={value}
        onInput={(event) => {
          const n = parseInt(event.target.value, 10);
          if (n >= min && n <= max) set(n);
        }}
      />
    </label>
  );
}

export function PatchDialog({ runs, name, text, selection, setSelection, close }) {
  const [label, setLabel] = useState(`lines ${selection.first}-${selection.last}`);
  const [id, setId] = useState(freeId(runs));
  const [thread, setThread] = useState(false);
  const [written, setWritten] = useState("");
  const [fault, setFault] = useState("");
  const n = text.split("\n").length;
  const { first, last } = selection;
  const patch = makePatch({ text, name, first, last, id, label, thread });
  const absolute = name.startsWith("/");
  const file = `${name.split("/").pop()}.section-${id}.patch`;
  const write = () =>
    sendPatch(patch).then(
      (answer) => setWritten(answer.path),
      (error) => setFault(`The file could not be written: ${error.message}.`),
    );

  return (
    <Dialog title="Count these lines as a section" close={close} wide>
      <div class="fields">
        <NumberField label="From line" value={first} min={1} max={last} set={(v) => setSelection({ first: v, last })} />
        <NumberField label="to line" value={last} min={first} max={n} set={(v) => setSelection({ first, last: v })} />
        <NumberField label="number" value={id} min={1} max={2147483647} set={setId} />
        <label class="field grow">
          <span>label</span>
          <input type="text" value={label} onInput={(event) => setLabel(event.target.value)} />
        </label>
        <Check label="of each thread" checked={thread} set={setThread} title="hpmTstart: inside a parallel region" />
      </div>
      <pre class="patch" tabIndex={0} aria-label="Patch">
        {patch.split("\n").map((line, i) => (
          <span key={i} class={/^\+(?!\+\+ )/.test(line) ? "added" : line.startsWith("@") ? "hunk" : ""}>
            {line}
            {"\n"}
          </span>
        ))}
      </pre>
      <p>
        The source is left as it is. To apply the patch{!absolute && `, in the directory that ${name} is relative to`}:{" "}
        <code>
          patch {absolute && "-d / "}-p1 &lt; {written || file}
        </code>
      </p>
      <p>Add a stop before every early exit (return, break, goto).</p>
      {fault && <Fault text={fault} />}
      <div class="actions">
        <span class="said" role="status">
          {written && `written to ${written}`}
        </span>
        <button type="button" onClick={() => download(file, patch)}>
          Download
        </button>
        {isServed() && (
          <button type="button" class="primary" onClick={write}>
            Write to a file
          </button>
        )}
      </div>
    </Dialog>
  );
}
