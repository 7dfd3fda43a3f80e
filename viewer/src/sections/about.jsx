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
    ["PMU", { hw: "hardware", sim: `simulated (${run.model})`, none: "none" }[run.pmu] || run.pmu || "–"],
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

export function About({ data }) {
  return (
    <div class="about" tabIndex={0} role="region" aria-label="About the runs">
      {data.runs.map((run, r) => (
        <section key={r}>
          <h2>
            {data.runs.length > 1 && <b>{letter(r)} </b>}
            {run.name}
          </h2>
          {!run.complete && (
            <p class="fault">Not complete: the program was ended by a signal, or this is a checkpoint.</p>
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
          {run.problems.length > 0 && (
            <>
              <h3>Calls that made no sense</h3>
              <ul>
                {run.problems.map((p, i) => (
                  <li key={i}>
                    {p.what}: section {p.id}
                    {p.file && `, ${p.file}:${p.line}`} ({format.count(p.count)}×)
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
      ))}
    </div>
  );
}

export const problemCount = (data) =>
  data.runs.reduce((n, run) => n + run.problems.length + (run.complete ? 0 : 1), 0);
