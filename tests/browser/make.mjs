// SPDX-License-Identifier: BSD-3-Clause
/* Performance files of programs that never ran. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "./harness.mjs";

export const HOSTILE = `</script><img src=x onerror="window.pwned=1"><b>&"'`;

const escape = (text) =>
  text.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);

function data(name, value, more = "") {
  return `<data name="${name}" value="${value}"${more}/>`;
}

/* One task's file; every number follows from task, section and metric. */
export function taskXml({ task, sections, metrics, label = (s) => `section ${s}`, file = "demo.c" }) {
  const points = [];

  for (let s = 0; s < sections; s++) {
    const seconds = (1 + ((task * 7 + s * 3) % 11)) / 10;
    const rows = [data("Count", 10), data("ExcSec", seconds), data("IncSec", seconds)];
    rows.push(data("PAPI_TOT_INS", 1000 * (s + 1) + task, ' exclusive="1000" disp="false"'));
    rows.push(data("PAPI_TOT_CYC", 2000 * (s + 1), ' exclusive="2000" disp="false"'));
    for (let m = 0; m < metrics; m++)
      rows.push(
        data(
          `metric_${m}`,
          ((task + s + m) % 17) / 4,
          ' formula="PAPI_TOT_INS / PAPI_TOT_CYC" sbad="-0.5" sgood="1" dbad="-0.4" dgood="2"',
        ),
      );
    points.push(
      `<InstrumentationPt lid="${escape(file)}${s}" label="${escape(label(s))}" file="${escape(file)}" linestart="${
        10 + s
      }" lineend="${12 + s}" tid="0" task="${task}" id="${s + 1}" kind="process">${rows.join("")}</InstrumentationPt>`,
    );
  }
  return `<hpm version="1" program="made" task="${task}" pid="1" started="1000" seconds="2" pmu="hw" model="" complete="true">${points.join(
    "\n",
  )}</hpm>`;
}

export function makeTasks(folder, n, shape) {
  const paths = [];

  mkdirSync(folder, { recursive: true });
  for (let task = 0; task < n; task++) {
    const path = join(folder, `hpm_${String(task).padStart(5, "0")}_made.xml`);
    writeFileSync(path, taskXml({ task, ...shape }));
    paths.push(path);
  }
  return paths;
}

/* A page with a document of any kind, as html_write() makes it. */
export function makePage(path, kind, document) {
  const page = readFileSync(join(build, "viewer", "viewer.html"), "utf8");
  const json = JSON.stringify(document).replaceAll("<", "\\u003c");

  writeFileSync(
    path,
    page
      .replace("@CONNECT@", "'none'")
      .replace("@TITLE@", "test")
      .replace("@DATA@", () => `<script type="application/json" id="data" data-kind="${kind}">${json}</script>`),
  );
  return path;
}
