// SPDX-License-Identifier: BSD-3-Clause
/* A program while it runs. */
import { useEffect, useRef, useState } from "preact/hooks";

import { useAddress } from "../address.js";
import { Check, Choice, download, Frame, Keys, Note, useKeys, useTheme } from "../ui.jsx";
import { Stream, toCsv, toJson } from "./stream.js";
import { Strip } from "./strip.jsx";

const KEYS = [
  ["space", "pause, resume"],
  ["drag", "zoom into a time range, in all strips"],
  ["double click, 0", "show everything again"],
  ["p", "cut off peaks that flatten the rest"],
  ["t", "light or dark"],
];
/* Strips at first: of each row the first that there is; then whatever comes. */
const FIRST = [
  ["ipc"],
  ["l1_hit_rate", "ls_per_d1_miss", "PAPI_L1_DCM", "L1-DCACHE-LOAD-MISSES", "CACHE-MISSES"],
  ["branches_mispredicted", "PAPI_BR_MSP", "BRANCH-MISSES"],
  ["memory_bandwidth", "bytes_per_cycle", "PAPI_L3_TCM", "LLC-LOAD-MISSES"],
];

function firstOf(series) {
  const found = FIRST.map((names) => names.map((name) => series.findIndex((s) => s.name.toUpperCase().endsWith(name.toUpperCase()))).find((i) => i >= 0));
  const rest = series.map((_, i) => i).filter((i) => !found.includes(i));

  return [...found.filter((i) => i !== undefined), ...rest].slice(0, FIRST.length);
}

/* What a series is called by people. */
const titleOf = (s) => (s.event ? s.name : s.text || s.name);
const STATES = {
  connecting: ["fair", "●", "connecting"],
  live: ["good", "▲", "running"],
  lost: ["poor", "▼", "connection lost; trying again"],
  ended: ["fair", "■", "ended"],
};

function State({ stream, paused }) {
  const [kind, shape, word] = STATES[stream.state];
  const exit = stream.state === "ended" ? ` with status ${stream.exit}` : "";

  return (
    <span class={`verdict ${kind}`} role="status">
      <span aria-hidden="true">{shape}</span> {word}
      {exit}
      {paused ? ", paused" : ""}
    </span>
  );
}

function Chooser({ series, chosen, setChosen }) {
  const toggle = (i) =>
    setChosen(chosen.includes(i) ? chosen.filter((k) => k !== i) : [...chosen, i].sort((a, b) => a - b));

  return (
    <fieldset class="chooser">
      <legend>Shown</legend>
      {series.map((s, i) => (
        <label class="check" key={s.name} title={s.formula || s.text}>
          <input type="checkbox" checked={chosen.includes(i)} onChange={() => toggle(i)} />
          <span>
            {titleOf(s)} {s.unit && <span class="quietly">{s.unit}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/* Draw when the browser draws, and not at all while nobody sees it. */
function useDrawing(stream, paused) {
  const strips = useRef(new Set());
  const wanted = useRef(0);
  const held = useRef(paused);

  held.current = paused;
  const draw = () => {
    if (wanted.current) return;
    wanted.current = requestAnimationFrame(() => {
      wanted.current = 0;
      if (!held.current && stream.current?.data?.length) for (const strip of strips.current) strip();
    });
  };
  const register = (strip) => {
    strips.current.add(strip);
    draw();
    return () => strips.current.delete(strip);
  };
  return { draw, register };
}

export function LivePage({ data }) {
  const theme = useTheme();
  const stream = useRef(null);
  const range = useRef(null);
  const [, update] = useState(0);
  const [paused, setPaused] = useState(false);
  const [names, setNames] = useAddress("show");
  const [span, setSpan] = useAddress("last", "60");
  const [zoomed, setZoomed] = useState(false);
  const [cut, setCut] = useState(false);
  const [keys, showKeys] = useState(false);
  const { draw, register } = useDrawing(stream, paused);

  useEffect(() => {
    let shown = "";
    const s = new Stream(() => {
      const now = `${s.state} ${s.head ? s.head.series.length : ""} ${s.lostMarks > 0} ${s.exit}`;
      if (now !== shown) {
        shown = now;
        update((n) => n + 1); /* the frame changes seldom, the strips always */
      }
      draw();
    });
    s.span = Number(span);
    stream.current = s;
    window.assayStream = s;
    update((n) => n + 1);
    return () => s.close();
  }, []);
  const setRange = (next) => {
    range.current = next;
    setZoomed(Boolean(next));
    draw();
  };
  const pause = () => {
    setPaused(!paused);
    setTimeout(draw);
  };
  const cutPeaks = (on) => {
    stream.current.cutPeaks = on;
    setCut(on);
    draw();
  };
  useKeys({
    " ": pause,
    p: () => cutPeaks(!cut),
    0: () => setRange(null),
    t: theme.toggle,
    "?": () => showKeys(true),
  });

  const s = stream.current;
  const head = s?.head;
  const places = names === null ? null : head?.series.map((_, i) => i).filter((i) => names.split(" ").includes(head.series[i].name));
  const picked = places || (head ? firstOf(head.series) : []);
  const setChosen = (list) => setNames(list.map((i) => head.series[i].name).join(" "));
  const name = (data.title || "live").split(" ")[0].split("/").pop();
  const chooseSpan = (text) => {
    setSpan(text);
    s.span = Number(text);
    setRange(null);
  };
  const tools = s && (
    <>
      <State stream={s} paused={paused} />
      <button type="button" onClick={pause} aria-pressed={paused}>
        {paused ? "Go on" : "Pause"}
      </button>
      <button type="button" onClick={() => setRange(null)} disabled={!zoomed}>
        Whole
      </button>
      <Choice
        label="last"
        options={[
          ["10", "10 s"],
          ["60", "1 min"],
          ["600", "10 min"],
        ]}
        value={span}
        choose={chooseSpan}
      />
      <Check
        label="cut peaks"
        title="Scale to the usual range, so that a peak does not flatten the rest"
        checked={cut}
        set={cutPeaks}
      />
      <button type="button" disabled={!head} onClick={() => download(`${name}.csv`, toCsv(s), "text/csv")}>
        CSV
      </button>
      <button type="button" disabled={!head} onClick={() => download(`${name}.json`, toJson(s), "application/json")}>
        JSON
      </button>
    </>
  );
  return (
    <div class="page live">
      <Frame title={(data.title || "live").replace(/^\S*\//, "")} theme={theme} tools={tools} help={() => showKeys(true)}>
        <main>
          {head?.simulated && <Note>On the simulated PMU: counts are exact, but seconds are those of the simulator.</Note>}
          {head?.note && <Note>{head.note}</Note>}
          {s?.lostMarks > 0 && <Note>Sections are so short that not every boundary is marked.</Note>}
          {!head && <Note>Waiting for the first sample …</Note>}
          {head && head.series.length === 0 && <Note>Nothing can be counted here; assay doctor says why.</Note>}
          {head && (
            <div class="strips" tabIndex={0} role="region" aria-label="Metrics over time">
              {picked.map((i, k) => (
                <Strip
                  key={head.series[i].name}
                  stream={s}
                  index={i}
                  first={k === 0}
                  range={range}
                  setRange={setRange}
                  dark={theme.dark}
                  register={register}
                />
              ))}
            </div>
          )}
          {head && <Chooser series={head.series} chosen={picked} setChosen={setChosen} />}
        </main>
      </Frame>
      {keys && <Keys close={() => showKeys(false)} keys={KEYS} />}
    </div>
  );
}
