// SPDX-License-Identifier: BSD-3-Clause
/* The sections page: sections left; source, metrics, comparison right. */
import { useMemo, useState } from "preact/hooks";

import { useAddress } from "../address.js";
import { readBlock } from "../blocks.js";
import { model, size } from "../format.js";
import { selected, sumUp } from "../profile/model.js";
import { gutterOf, ProfileView } from "../profile/page.jsx";
import { Source, useSource } from "../source.jsx";
import { Choice, Frame, Keys, LIST_KEYS, Note, Tabs, useKeys, usePromise, useTheme } from "../ui.jsx";
import { About, problemCount } from "./about.jsx";
import { Compare } from "./compare.jsx";
import { SectionList } from "./list.jsx";
import { Metrics } from "./metrics.jsx";
import { firstMeasure, letter, measuresOf, runNames } from "./model.js";
import { PatchDialog } from "./patch.jsx";
import { markOf, VerdictStrip, worstOf } from "./strip.jsx";

const KEYS = [
  ["j / k", "next, previous section"],
  ...LIST_KEYS,
  ["← / →", "in the tree: collapse, expand inner sections"],
  ["s", "source"],
  ["m", "metrics (also: right click on a section)"],
  ["c", "compare runs"],
  ["r", "next run"],
  ["/", "find a section"],
  ["i", "count selected lines as a section"],
  ["t", "light or dark"],
  ["?", "these keys"],
];

function RunChoice({ runs, names, chosen, choose }) {
  if (runs.length < 2) return null;
  return (
    <div class="segments" role="group" aria-label="Run">
      {runs.slice(0, 8).map((run, i) => (
        <button type="button" key={i} aria-pressed={i === chosen} onClick={() => choose(i)} title={run.name}>
          <b>{letter(i)}</b> {names[i]}
        </button>
      ))}
    </div>
  );
}

/* The section with the most of what is measured. */
function heaviest(run, measure) {
  const by = measuresOf(run).find((m) => m.id === measure);

  if (!by) return run.sections[0];
  return run.sections.reduce(
    (best, s) => ((size(by.exclusive(s)) || 0) > (best ? size(by.exclusive(best)) || 0 : -1) ? s : best),
    null,
  );
}

/* Counts of the first profile for a source that both name. */
function useGutter(data, source, event) {
  const { value: profile } = usePromise(
    () => (data.profiles.length ? readBlock("profile-0") : null),
    [data],
  );

  return useMemo(() => {
    if (!profile || source === null || source === undefined) return null;
    const e = profile.events[event];
    const sums = sumUp(profile, selected(profile, event, null));
    const same = (i) => data.sources[i]?.same;
    const isFile = (file) => same(data.profiles[0].sources[file]) === same(source);
    const gutter = gutterOf(sums.lines, isFile, e, sums.sum);
    return gutter && { ...gutter, events: profile.events.map((x) => x.name) };
  }, [profile, source, event]);
}

function SourcePane({ data, run, section, choose, selection, setSelection, openPatch, precision, changed, openMetrics }) {
  const name = section?.file || "";
  const source = useSource(section ? section.source : null);
  const sections = useMemo(
    () =>
      run.sections
        .filter((s) => s.source === section?.source)
        .map((s) => ({ ...s, verdict: worstOf(run, s, precision, changed) }))
        .map((s) => ({ ...s, mark: markOf(s.verdict) })),
    [run, section?.source, precision, changed],
  );
  const focus = section && { first: section.first, last: Math.max(section.first, section.last) };
  const [event, setEvent] = useState(0);
  const gutter = useGutter(data, section?.source, event);

  return (
    <div class="source-pane">
      <div class="bar">
        <span class="path" title={name}>
          <bdi>{name || "no source"}</bdi>
        </span>
        <span class="space" />
        {gutter && (
          <Choice
            label="profile of"
            options={gutter.events.map((title, i) => [String(i), title])}
            value={String(event)}
            choose={(text) => setEvent(Number(text))}
          />
        )}
        {source.value?.text != null && (
          <button type="button" onClick={() => openPatch({ name, text: source.value.text, focus })}>
            {selection ? `Count lines ${selection.first}–${selection.last} …` : "Count lines …"}
          </button>
        )}
      </div>
      {section && <VerdictStrip run={run} section={section} precision={precision} changed={changed} open={openMetrics} />}
      {section?.source === null && !name ? (
        <Note>This section names no source file.</Note>
      ) : (
        <Source
          source={source}
          name={name}
          focus={focus}
          gutter={gutter}
          sections={sections}
          pick={choose}
          selection={selection}
          setSelection={setSelection}
        />
      )}
    </div>
  );
}

function Sections({ data, theme, tools }) {
  const names = useMemo(() => runNames(data.runs), [data]);
  const [runText, setRunText] = useAddress("run", "0");
  const runIndex = data.runs[runText] ? Number(runText) : 0;
  const setRunIndex = (i) => setRunText(String(i));
  const run = data.runs[runIndex];
  const [measure, setMeasure] = useAddress("by", firstMeasure(run));
  const [words, setWords] = useAddress("find", "");
  const [match, setMatch] = useAddress("section", heaviest(data.runs[0], firstMeasure(data.runs[0]))?.match ?? null);
  const [tab, setTab] = useAddress("tab", data.runs.some((r) => r.sections.some((s) => s.file)) ? "source" : "metrics");
  const [precision, setPrecision] = useAddress("precision", "double");
  const [changed, setChanged] = useState({});
  const [selection, setSelection] = useState(null);
  const [patching, setPatching] = useState(null);
  const [keys, showKeys] = useState(false);
  const section = run.sections.find((s) => s.match === match) || null;

  const choose = (s) => {
    setMatch(s.match);
    setSelection(null);
  };
  const step = (by) => {
    const rows = [...document.querySelectorAll(".sections tbody tr[data-key]")];
    const at = rows.findIndex((row) => row.dataset.key === match);
    const row = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    if (!row) return;
    row.scrollIntoView({ block: "nearest" });
    choose(run.sections.find((s) => s.match === row.dataset.key));
  };
  const openPatch = ({ name, text, focus }) => {
    if (!selection) setSelection(focus);
    setPatching({ name, text });
  };
  const tabs = [
    { id: "source", name: "Source" },
    { id: "metrics", name: "Metrics" },
    ...(data.runs.length > 1 ? [{ id: "compare", name: "Compare" }] : []),
    { id: "about", name: data.runs.length > 1 ? "Runs" : "Run", count: problemCount(data) },
  ];

  useKeys({
    j: () => step(1),
    k: () => step(-1),
    s: () => setTab("source"),
    m: () => setTab("metrics"),
    c: () => data.runs.length > 1 && setTab("compare"),
    r: () => setRunIndex((runIndex + 1) % data.runs.length),
    t: theme.toggle,
    i: () => document.querySelector(".source-pane .bar button")?.click(),
    "/": () => document.getElementById("search")?.focus(),
    "?": () => showKeys(true),
  });

  const detail = [
    run.tasks > 1 && `${run.tasks} tasks`,
    run.threads > 1 && `${run.threads} threads`,
    `${run.sections.length} section${run.sections.length === 1 ? "" : "s"}`,
    { hw: "hardware counters", sim: `simulated: ${model(run.model)}`, none: "no PMU" }[run.pmu],
    run.pmu === "sim" && "times are the simulator's",
  ].filter(Boolean);
  return (
    <div class="page">
      <Frame
        title={run.program || names[0]}
        detail={detail.join(" · ")}
        theme={theme}
        help={() => showKeys(true)}
        tools={
          <>
            {tools}
            <RunChoice runs={data.runs} names={names} chosen={runIndex} choose={setRunIndex} />
          </>
        }
      >
        <main class="split">
          <SectionList
            data={data}
            run={run}
            runIndex={runIndex}
            words={words}
            setWords={setWords}
            measure={measure}
            setMeasure={setMeasure}
            chosen={match}
            choose={choose}
            open={(s) => {
              choose(s);
              setTab("metrics");
            }}
          />
          <section class="right" aria-label="The section">
            <Tabs label="Views of the section" tabs={tabs} chosen={tab} choose={setTab}>
              {tab === "source" && (
                <SourcePane
                  data={data}
                  run={run}
                  section={section}
                  choose={choose}
                  selection={selection}
                  setSelection={setSelection}
                  openPatch={openPatch}
                  precision={precision}
                  changed={changed}
                  openMetrics={() => setTab("metrics")}
                />
              )}
              {tab === "metrics" &&
                (section ? (
                  <Metrics
                    run={run}
                    runIndex={runIndex}
                    section={section}
                    precision={precision}
                    setPrecision={setPrecision}
                    changed={changed}
                    setChanged={setChanged}
                    dark={theme.dark}
                  />
                ) : (
                  <Note>This run has no such section.</Note>
                ))}
              {tab === "compare" && (
                <Compare
                  data={data}
                  section={section}
                  precision={precision}
                  changed={changed}
                  measure={measure}
                  choose={choose}
                />
              )}
              {tab === "about" && <About data={data} choose={choose} />}
            </Tabs>
          </section>
        </main>
      </Frame>
      {patching && selection && (
        <PatchDialog
          runs={data.runs}
          name={patching.name}
          text={patching.text}
          selection={selection}
          setSelection={setSelection}
          close={() => setPatching(null)}
        />
      )}
      {keys && <Keys close={() => showKeys(false)} keys={KEYS} />}
    </div>
  );
}

/* Sections or a profile: a switch where there are both. */
export function SectionsPage({ data }) {
  const theme = useTheme();
  const [wanted, setView] = useAddress("view", data.runs.length ? "sections" : "profile-0");
  const views = [
    ...(data.runs.length ? [["sections", "Sections"]] : []),
    ...data.profiles.map((p, i) => [
      `profile-${i}`,
      data.profiles.length > 1 ? p.name.split("/").pop() : "Profile",
    ]),
  ];
  const view = views.some(([id]) => id === wanted) ? wanted : views[0][0];
  const tools = views.length > 1 && (
    <div class="segments" role="group" aria-label="View">
      {views.map(([id, name]) => (
        <button type="button" key={id} aria-pressed={id === view} onClick={() => setView(id)}>
          {name}
        </button>
      ))}
    </div>
  );

  if (view === "sections") return <Sections data={data} theme={theme} tools={tools} />;
  return <ProfilePage data={data} theme={theme} tools={tools} index={Number(view.split("-")[1])} />;
}

function ProfilePage({ data, theme, tools, index }) {
  const [keys, showKeys] = useState(false);

  useKeys({
    t: theme.toggle,
    "/": () => document.getElementById("search")?.focus(),
    "?": () => showKeys(true),
  });
  return (
    <div class="page">
      <Frame
        title={data.profiles[index].name.split("/").pop()}
        detail="profile"
        theme={theme}
        tools={tools}
        help={() => showKeys(true)}
      >
        <ProfileView data={data} index={index} dark={theme.dark} key={index} />
      </Frame>
      {keys && (
        <Keys
          close={() => showKeys(false)}
          keys={[
            ...LIST_KEYS,
            ["/", "find a function"],
            ["t", "light or dark"],
          ]}
        />
      )}
    </div>
  );
}
