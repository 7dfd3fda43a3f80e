// SPDX-License-Identifier: BSD-3-Clause
/* What a run was: machine, events that were and were not counted, faults. */
import * as format from "../format.js";
import { letter } from "./model.js";

function Facts({ run }) {
  const facts = [
    ["Program", run.program],
    ["Files", run.merged ? `${run.name} (merged)` : run.files > 1 ? `${run.files} in ${run.folder}` : run.name],
    ["Tasks", format.count(run.tasks)],
    ["Threads of a task", format.isNumber(run.threads) ? `up to ${run.threads}` : "–"],
    ["Began", format.day(run.started)],
    ["Wall clock", format.seconds(run.seconds)],
    ...run.remarks.filter(([name]) => name),
    ["PMU", { hw: "hardware", sim: `simulated (${format.model(run.model)})`, none: "none" }[run.pmu] || run.pmu || "–"],
  ];

  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/* What to do about a problem, by what libhpm calls it. */
const FIXES = [
  ["stopped but not started", "Call hpmStart() with the same id before hpmStop(), on every path that leads here."],
  ["stopped while sections inside it were open", "Stop inner sections first: add hpmStop() before every early exit (return, break, goto)."],
  ["started but not stopped", "Add the missing hpmStop(), or call hpmTerminate() where the program exits."],
  ["no memory", "The process ran out of memory: measure fewer sections, or give it more."],
];

const fixOf = (what) => FIXES.find(([start]) => what.startsWith(start))?.[1];

/* "Section multiply (number 3) was stopped but not started, 2 times." */
function Problem({ run, problem, choose }) {
  const section = run.sections.find((s) => s.id === problem.id);
  const name = section?.label || `number ${problem.id}`;
  const place = problem.file && `${problem.file.split("/").pop()}:${problem.line}`;

  return (
    <li>
      {section ? (
        <button type="button" class="link" onClick={() => choose(section)}>
          {name}
        </button>
      ) : (
        <b>Section {name}</b>
      )}{" "}
      was {problem.what}
      {problem.count > 1 && `, ${format.count(problem.count)} times`}
      {place && (
        <>
          , at <code title={problem.file}>{place}</code>
        </>
      )}
      . {fixOf(problem.what)}
    </li>
  );
}

function Problems({ run, choose }) {
  if (run.problems.length === 0) return null;
  return (
    <>
      <h3>Measurement problems</h3>
      <ul class="advice">
        {run.problems.map((problem, i) => (
          <Problem key={i} run={run} problem={problem} choose={choose} />
        ))}
      </ul>
    </>
  );
}

export function About({ data, choose }) {
  return (
    <div class="about" tabIndex={0} role="region" aria-label="About the runs">
      {data.runs.map((run, r) => (
        <section key={r}>
          <h2>
            {data.runs.length > 1 && <b>{letter(r)} </b>}
            {run.name}
          </h2>
          {!run.complete && (
            <p class="fault">Incomplete: a signal ended the program, or this is a checkpoint.</p>
          )}
          <Facts run={run} />
          {run.remarks
            .filter(([name]) => !name)
            .map(([, text]) => (
              <p class="note" key={text}>
                {text[0].toUpperCase() + text.slice(1)}.
              </p>
            ))}
          {run.pmu === "sim" && (
            <p class="note">Times are those of the simulator, not of the machine; counts are exact.</p>
          )}
          {run.events.some((e) => !e.counted) && (
            <>
              <h3>Not counted</h3>
              <ul>
                {run.events
                  .filter((e) => !e.counted)
                  .map((e) => (
                    <li key={e.name}>
                      <code>{e.name}</code>: {e.reason}
                    </li>
                  ))}
              </ul>
            </>
          )}
          <Problems run={run} choose={choose} />
        </section>
      ))}
    </div>
  );
}

export const problemCount = (data) =>
  data.runs.reduce((n, run) => n + run.problems.length + (run.complete ? 0 : 1), 0);
