// SPDX-License-Identifier: BSD-3-Clause
/* The profile page: functions left; source, lines, addresses, flames right. */
import { useMemo, useState } from "preact/hooks";

import { useAddress, useAddressFlag } from "../address.js";
import { readBlock } from "../blocks.js";
import * as format from "../format.js";
import { Grid, useSort } from "../grid.jsx";
import { Source, useSource } from "../source.jsx";
import { Choice, Fault, Note, Search, Tabs, usePromise } from "../ui.jsx";
import { Assembly } from "./assembly.jsx";
import { Calls } from "./calls.jsx";
import { Flame } from "./flame.jsx";
import { Addresses } from "./histogram.jsx";
import { hasStacks, selected, sumUp } from "./model.js";
import { Timeline, timeText } from "./timeline.jsx";
import { hasTimes, readRange } from "./times.js";

const TABS = [
  { id: "psource", name: "Source" },
  { id: "assembly", name: "Assembly" },
  { id: "lines", name: "Lines" },
  { id: "addresses", name: "Addresses" },
  { id: "flame", name: "Flame graph" },
  { id: "times", name: "Over time" },
  { id: "calls", name: "Callers" },
  { id: "pabout", name: "About" },
];

/* Counts for the gutter of one file: line -> { own, total }. */
export function gutterOf(lines, isFile, event, sum) {
  const here = new Map();
  let most = 0;

  for (const [key, row] of lines) {
    const [file, line] = key.split(" ").map(Number);
    if (!isFile(file)) continue;
    const old = here.get(line) || { own: 0, total: 0 };
    here.set(line, { own: old.own + row.own, total: old.total + row.total });
    most = Math.max(most, here.get(line).own);
  }
  if (here.size === 0) return null;
  return {
    of: (line) => {
      const row = here.get(line);
      if (!row) return null;
      return {
        text: row.own ? format.compact(row.own * event.period) : "·",
        share: most ? row.own / most : 0,
        title: `${format.count(row.own)} samples (${format.percent((100 * row.own) / sum)}) here, ${format.count(
          row.total,
        )} with what is called: ≈ ${format.count(row.own * event.period)} ${event.name}`,
      };
    },
    hottest: () => [...here].reduce((a, b) => (b[1].own > a[1].own ? b : a))[0],
  };
}

function Functions({ profile, sums, event, words, setWords, chosen, choose }) {
  const rows = useMemo(
    () =>
      [...sums.functions.values()].filter((r) =>
        profile.functions[r.key].name.toLowerCase().includes(words.toLowerCase()),
      ),
    [profile, sums, words],
  );
  const name = (r) => profile.functions[r.key];
  const columns = [
    {
      id: "function",
      name: "Function",
      heads: true,
      first: 1,
      class: "section",
      value: (r) => name(r).name,
      cell: (r) => (
        <span class="name">
          <button type="button" class="link" tabIndex={-1} title={name(r).name}>
            {name(r).name}
          </button>
          <span class="place">
            {name(r).file !== null
              ? `${profile.files[name(r).file].path.split("/").pop()}:${name(r).line ?? "?"}`
              : profile.objects[name(r).object].path.split("/").pop()}
            {name(r).address === null && " · inlined"}
          </span>
        </span>
      ),
    },
    {
      id: "own",
      name: "Exclusive",
      title: "Samples in the function itself",
      align: "right",
      value: (r) => r.own,
      cell: (r) => (
        <>
          <span title={`${format.count(r.own)} samples`}>{format.percent((100 * r.own) / sums.sum)}</span>
          <span class="share" aria-hidden="true">
            <span style={{ width: `${(100 * r.own) / sums.sum}%` }} />
          </span>
        </>
      ),
    },
    {
      id: "total",
      name: "Inclusive",
      title: "With what it calls",
      align: "right",
      value: (r) => r.total,
      cell: (r) => format.percent((100 * r.total) / sums.sum),
    },
    {
      id: "events",
      name: "≈ events",
      title: `${event.name}: samples times ${format.count(event.period)}`,
      align: "right",
      value: (r) => r.own,
      cell: (r) => format.compact(r.own * event.period),
    },
  ];
  const sort = useSort(columns, { id: "own", direction: -1 });

  return (
    <>
      <div class="bar">
        <Search id="search" label="Find functions" value={words} set={setWords} />
      </div>
      <Grid
        class="sections"
        row={46}
        label="Functions"
        columns={columns}
        rows={rows}
        sort={sort}
        rowKey={(r) => r.key}
        chosen={chosen}
        choose={(r) => choose(r.key)}
        empty="No function name matches."
      />
    </>
  );
}

function Lines({ profile, sums, event, choose }) {
  const rows = useMemo(
    () =>
      [...sums.lines.values()].map((r) => {
        const [file, line] = r.key.split(" ").map(Number);
        return { ...r, file, line };
      }),
    [sums],
  );
  const columns = [
    {
      id: "line",
      name: "Line",
      heads: true,
      first: 1,
      value: (r) => `${profile.files[r.file].path}:${r.line}`,
      cell: (r) => <span title={profile.files[r.file].path}>{`${profile.files[r.file].path.split("/").pop()}:${r.line}`}</span>,
    },
    { id: "own", name: "Exclusive", align: "right", value: (r) => r.own, cell: (r) => format.percent((100 * r.own) / sums.sum) },
    { id: "total", name: "Inclusive", align: "right", value: (r) => r.total, cell: (r) => format.percent((100 * r.total) / sums.sum) },
    { id: "samples", name: "Samples", align: "right", value: (r) => r.own, cell: (r) => format.count(r.own) },
    { id: "events", name: `≈ ${event.name}`, align: "right", value: (r) => r.own, cell: (r) => format.compact(r.own * event.period) },
  ];
  const sort = useSort(columns, { id: "own", direction: -1 }, "linesort");

  return (
    <div class="metrics">
      <Grid label="Lines" columns={columns} rows={rows} sort={sort} rowKey={(r) => r.key} choose={(r) => choose(r.file, r.line)} empty="No sample has a source line: there is no debug information (compile with -g)." />
    </div>
  );
}

function timesText(profile) {
  if (!hasTimes(profile)) return "not recorded; samples cannot be shown over time";
  const { timeline } = profile;
  return `to ${timeText(timeline, 1)}, over ${timeText(timeline, timeline.bins)}`;
}

function About({ profile, name }) {
  const facts = [
    ["Program", profile.command.join(" ") || "–"],
    ["File", name],
    ["PMU", { hw: "hardware", sim: `simulated (${format.model(profile.pmu.model)})`, none: "none" }[profile.pmu.kind]],
    ["Wall clock", format.seconds(profile.time.wall_s)],
    ["Times of samples", timesText(profile)],
    ["Threads", format.count(profile.threads.length)],
    ["Samples lost", format.count(profile.lost)],
  ];

  return (
    <div class="about" tabIndex={0} role="region" aria-label="About the profile">
      <dl class="facts">
        {facts.map(([n, v]) => (
          <div key={n}>
            <dt>{n}</dt>
            <dd>{v}</dd>
          </div>
        ))}
      </dl>
      <h3>Events</h3>
      <ul>
        {profile.events.map((e) => (
          <li key={e.name}>
            <code>{e.name}</code>: {format.count(e.samples)} samples, one in {format.count(e.period)}
            {e.value !== null && `; ${format.count(e.value)} in all`}
            {e.exact ? "; each at its exact instruction" : "; addresses may be some instructions late"}
          </li>
        ))}
      </ul>
      <h3>Objects</h3>
      <ul>
        {profile.objects.map((o, i) => (
          <li key={i}>
            {o.path}
            {o.symbols === "none" && ": no symbols, functions are shown by address"}
          </li>
        ))}
      </ul>
      {profile.notes.length > 0 && (
        <>
          <h3>Notes</h3>
          <ul>
            {profile.notes.map((n, i) => (
              <li key={i}>{n}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function SourceOf({ profile, sums, event, place, sources, data }) {
  const index = place.file === null || place.file === undefined ? null : sources[place.file];
  const source = useSource(index);
  const name = place.file === null || place.file === undefined ? "" : profile.files[place.file].path;
  const gutter = useMemo(
    () => (place.file === null || place.file === undefined ? null : gutterOf(sums.lines, (f) => f === place.file, event, sums.sum)),
    [sums, event, place.file],
  );
  const line = place.line || gutter?.hottest();

  if (!name)
    return (
      <Note>
        The source of this function is not known: it has no debug information (compile with -g). See the views by line
        and by address.
      </Note>
    );
  return (
    <div class="source-pane">
      <div class="bar">
        <span class="path" title={name}>
          <bdi>{name}</bdi>
        </span>
      </div>
      {data.sources[index]?.reason && <Note>{data.sources[index].reason}</Note>}
      {!data.sources[index]?.reason && (
        <Source source={source} name={name} gutter={gutter} focus={line ? { first: line, last: line } : null} />
      )}
    </div>
  );
}

export function ProfileView({ data, index, dark }) {
  const { value: profile, fault } = usePromise(() => readBlock(`profile-${index}`), [index]);

  if (fault) return <Fault text={`The profile cannot be read: ${fault}.`} />;
  if (!profile) return <Note>Reading the profile …</Note>;
  return <Loaded data={data} entry={data.profiles[index]} index={index} profile={profile} dark={dark} />;
}

/* Where to look first in a function: its hottest line, else its beginning. */
function placeOf(profile, sums, f) {
  const fn = profile.functions[f];
  let best = null;

  for (const location of sums.addresses.keys())
    for (const [g, file, line] of profile.locations[location].frames) {
      if (g !== f || file === null || line === null) continue;
      const row = sums.lines.get(`${file} ${line}`);
      if (!best || (row?.own || 0) > best.own) best = { file, line, own: row?.own || 0 };
    }
  if (best) return { file: best.file, line: best.line };
  return { file: fn.file, line: fn.line };
}

/* Another profile of the page, of the same event, to be compared with. */
function useBefore(data, against, event) {
  const { value, fault } = usePromise(() => (against === "" || !data.profiles[against] ? null : readBlock(`profile-${against}`)), [against]);

  return useMemo(() => {
    if (!value) return { fault };
    const e = value.events.findIndex((x) => x.name === event);
    if (e < 0) return { fault: `it has no samples of ${event}` };
    return { value: { profile: value, samples: selected(value, e, null) } };
  }, [value, fault, event]);
}

function Against({ data, index, against, setAgainst, fault }) {
  if (data.profiles.length < 2) return null;
  return (
    <div class="bar against">
      <Choice
        label="compare with"
        options={[["", "nothing"], ...data.profiles.map((p, i) => [String(i), p.name]).filter(([i]) => Number(i) !== index)]}
        value={against}
        choose={setAgainst}
      />
      {fault && <Fault text={`The other profile cannot be compared: ${fault}.`} />}
    </div>
  );
}

/* That what is shown is of a part of the time, on every tab. */
function Part({ profile, range, clear }) {
  if (!range) return null;
  return (
    <span class="part-of-time" role="status">
      {timeText(profile.timeline, range[0])} to {timeText(profile.timeline, range[1])}{" "}
      <button type="button" class="quiet" onClick={clear} aria-label="Show the whole time">
        ✕
      </button>
    </span>
  );
}

function Loaded({ data, entry, index, profile, dark }) {
  const [eventText, setEventText] = useAddress("event", "0");
  const event = profile.events[eventText] ? Number(eventText) : 0;
  const setEvent = (i) => setEventText(String(i));
  const [thread, setThread] = useAddress("thread", "");
  const [words, setWords] = useAddress("find", "");
  const which = thread === "" ? null : Number(thread);
  const [time, setTime] = useAddress("time", "");
  const [zoomed, setZoomed] = useAddressFlag("zoom");
  const range = useMemo(() => readRange(profile, time), [profile, time]);
  const setRange = (next) => setTime(next ? `${next[0]}-${next[1]}` : "");
  const samples = useMemo(() => selected(profile, event, which, range), [profile, event, which, range]);
  const sums = useMemo(() => sumUp(profile, samples), [profile, samples]);
  const hottest = useMemo(
    () => [...sums.functions.values()].reduce((a, b) => (!a || b.own > a.own ? b : a), null)?.key,
    [sums],
  );
  const [name, setName] = useAddress("function");
  const [at, setAt] = useState(null);
  const named = useMemo(() => profile.functions.findIndex((f) => f.name === name), [profile, name]);
  const picked = named < 0 ? null : { f: named, place: at?.f === named ? at.place : null };
  const chosen = picked && sums.functions.has(picked.f) ? picked.f : hottest;
  const place = picked?.place && picked.f === chosen ? picked.place : chosen === undefined ? {} : placeOf(profile, sums, chosen);
  const [tab, setTab] = useAddress("ptab", format.isNumber(place.file) ? "psource" : "addresses");
  const e = profile.events[event];
  const pick = (f, spot) => {
    setName(profile.functions[f].name);
    setAt({ f, place: spot && spot.file !== null ? { file: spot.file, line: spot.line } : null });
  };
  const [against, setAgainst] = useAddress("against", "");
  const before = useBefore(data, against, e.name);

  return (
    <main class="split">
      <section class="left" aria-label="List of functions">
        <div class="bar wrap">
          <Choice
            label="event"
            options={profile.events.map((x, i) => [String(i), x.name])}
            value={String(event)}
            choose={(text) => setEvent(Number(text))}
          />
          {profile.threads.length > 1 && (
            <Choice
              label="thread"
              options={[["", "all"], ...profile.threads.map((t, i) => [String(i), `${t.name} ${t.tid}`])]}
              value={thread}
              choose={setThread}
            />
          )}
          <span class="quietly">{format.count(sums.sum)} {sums.sum === 1 ? "sample" : "samples"}</span>
          <Part profile={profile} range={range} clear={() => setRange(null)} />
        </div>
        <Functions
          profile={profile}
          sums={sums}
          event={e}
          words={words}
          setWords={setWords}
          chosen={chosen}
          choose={(f) => pick(f, null)}
        />
      </section>
      <section class="right" aria-label="The profile">
        <Tabs label="Views of the profile" tabs={TABS.filter(({ id }) => id !== "times" || hasTimes(profile))} chosen={tab} choose={setTab}>
          {tab === "psource" && (
            <SourceOf profile={profile} sums={sums} event={e} place={place} sources={entry.sources} data={data} />
          )}
          {tab === "assembly" && (
            <div class="beside">
              <SourceOf profile={profile} sums={sums} event={e} place={place} sources={entry.sources} data={data} />
              <Assembly index={index} profile={profile} sums={sums} chosen={chosen} choose={(row) => pick(chosen, row)} />
            </div>
          )}
          {tab === "lines" && (
            <Lines
              profile={profile}
              sums={sums}
              event={e}
              choose={(file, line) => {
                pick(chosen, { file, line });
                setTab("psource");
              }}
            />
          )}
          {tab === "addresses" && <Addresses profile={profile} sums={sums} event={e} dark={dark} pick={pick} />}
          {tab === "flame" && (
            <>
              {!hasStacks(profile) && <Note>Recorded without call stacks (assay record -g): callers are not known.</Note>}
              <Against data={data} index={index} against={against} setAgainst={setAgainst} fault={before.fault} />
              <Flame profile={profile} samples={samples} event={e} pick={(f) => pick(f, null)} before={before.value} />
            </>
          )}
          {tab === "times" && hasTimes(profile) && (
            <div class="over-time">
              <Timeline
                profile={profile}
                event={event}
                thread={which}
                range={range}
                setRange={setRange}
                zoomed={zoomed}
                setZoomed={setZoomed}
                dark={dark}
                pick={(f) => pick(f, null)}
              />
              <Flame profile={profile} samples={samples} event={e} pick={(f) => pick(f, null)} before={null} />
            </div>
          )}
          {tab === "times" && !hasTimes(profile) && <Note>The times of samples were not recorded.</Note>}
          {tab === "calls" && <Calls profile={profile} samples={samples} chosen={chosen} pick={(f) => pick(f, null)} />}
          {tab === "pabout" && <About profile={profile} name={entry.name} />}
        </Tabs>
      </section>
    </main>
  );
}
