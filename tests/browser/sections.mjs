// SPDX-License-Identifier: BSD-3-Clause
/* The sections page: one run, two compared, sixteen tasks put together. */
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { assay, check, checkAccess, checkQuiet, openPage, picture, source, textOf, texts, tmp, until } from "./harness.mjs";
import { makeTasks } from "./make.mjs";

const names = (page) => texts(page, ".sections tbody .name button");

async function testTree(page) {
  check("inner sections stand below theirs", (await names(page)).join() === "main loop,multiply,triad <all threads>,fill,share of a thread", await names(page));
  const indent = (label) => page.$eval(`.sections tr:has-text('${label}') .branch`, (b) => parseInt(getComputedStyle(b).paddingLeft, 10));
  check("and are indented", (await indent("multiply")) > (await indent("main loop")));
  const bar = (label, kind) => page.$eval(`.sections tr:has-text('${label}') ${kind} span`, (b) => parseFloat(b.style.width));
  check("with a bar for each part", (await bar("main loop", ".share:not(.inclusive)")) < 5 && (await bar("main loop", ".share.inclusive")) > 99);
  await page.click(".sections tr:has-text('main loop') .twist");
  check("they can be folded away", (await names(page)).join() === "main loop,share of a thread", await names(page));
  await page.click(".sections tr:has-text('main loop') .twist");
  check("verdicts stand beside the source", (await textOf(page, ".verdict-strip")).includes("Instructions per cycle"));
  check("simulated times are marked", (await textOf(page, ".detail")).includes("times are the simulator's"));
  check("and the machine has the name that options take", /simulated: (?!sim-)\w+/.test(await textOf(page, ".detail")), await textOf(page, ".detail"));
  await page.selectOption(".left label:has-text('by') select", "time");
  check("also where they are shown", (await textOf(page, ".left .note")).includes("simulator"));
  await page.selectOption(".left label:has-text('by') select", "PAPI_TOT_CYC");
  await page.selectOption(".left label:has-text('as') select", "list");
}

async function testList(page) {
  check("sections are sorted by what they took", (await names(page))[0] === "multiply", await names(page));
  const sorted = (await names(page)).slice();
  await page.click(".sections thead th:nth-child(1) button");
  check("a click on a heading sorts", (await names(page)).join() === [...sorted].sort().join(), await names(page));
  await page.click(".sections thead th:nth-child(1) button");
  check("another turns it round", (await names(page)).join() === [...sorted].sort().reverse().join());
  check("the order is told", (await page.getAttribute(".sections thead th:nth-child(1)", "aria-sort")) === "descending");
  await page.fill("#search", "thread");
  check("search leaves what has the words", (await names(page)).length === 2, await names(page));
  await page.fill("#search", "no such words");
  check("and says when there is nothing", (await textOf(page, ".sections .empty")).includes("No section"));
  await page.fill("#search", "");
  check("a label is shown as text", (await names(page)).includes("triad <all threads>"));
}

async function testSource(page) {
  await page.click(".sections tbody tr:has-text('fill')");
  await page.waitForSelector(".line.inside");
  const line = await textOf(page, ".line.inside code");
  check("the source is at the section", line.includes('hpmStart(2, "fill")'), line);
  check("and highlighted", (await page.$$(".line .hljs-keyword")).length > 3);
  await page.keyboard.press("k");
  check("k goes to the section before", !(await textOf(page, ".sections tr.chosen")).startsWith("fill"));
}

async function testMetrics(page) {
  await page.click(".sections tbody tr:has-text('multiply')", { button: "right" });
  await page.waitForSelector(".metrics .grid");
  const shown = await texts(page, ".metrics tbody th");
  check("metrics are shown, raw counters not", shown.includes("Instructions per cycle") && !shown.includes("PAPI_TOT_CYC"), shown);
  await page.check("text=raw counters");
  check("until they are asked for", (await texts(page, ".metrics tbody th")).includes("PAPI_TOT_CYC"));
  const verdict = () => page.$eval("tr[data-key='ipc'] .verdict", (e) => e.className);
  check("a good value is green and has its shape", (await verdict()).includes("good"));
  await page.click("tr[data-key='ipc'] button.link");
  await page.fill("input[aria-label='Good threshold']", "100");
  await page.selectOption(".bound:nth-of-type(2) select", "below");
  await page.fill("input[aria-label='Poor threshold']", "50");
  await page.click("text=Done");
  check("a threshold can be changed", (await verdict()).includes("poor"), await verdict());
  await page.selectOption(".metrics label:has-text('precision') select", "single");
  check("of one precision", (await verdict()).includes("good"), await verdict());
  await page.selectOption(".metrics label:has-text('precision') select", "double");
  await page.click(".sections tbody tr:has-text('share of a thread')");
  await page.selectOption(".metrics label:has-text('show') select", "rows");
  await page.waitForSelector(".grid.rows tbody tr");
  check("threads have a row each", (await page.$$(".grid.rows tbody tr")).length === 12);
  await page.selectOption(".metrics label:has-text('show') select", "plot");
  await page.waitForSelector(".spread canvas");
}

async function testCompare(page) {
  await page.click("#tab-compare");
  await page.click(".sections tbody tr:has-text('multiply')");
  const row = await textOf(page, "tr[data-key='PAPI_SR_INS']");
  check("runs stand side by side", /6,\d\d\d|39\d,\d\d\d/.test(row), row);
  check("a resolved difference is marked", (await page.$$("tr[data-key='PAPI_SR_INS'] .change.sure")).length === 1);
  check("the largest comes first", (await texts(page, ".metrics tbody th"))[0] === "PAPI_SR_INS", await texts(page, ".metrics tbody th"));
  check("for the better or the worse", (await textOf(page, "tr[data-key='ipc'] .change.better")).includes("+"));
  check("noise is grey and last", (await page.getAttribute("tr[data-key='ExcSec']", "class")).includes("noise"));
  const times = await textOf(page, "tr[data-key='IncSec']");
  check("a simulator's time is marked and not judged", times.includes("(simulator's)") && !/better|worse|%/.test(times), times);
  const all = await page.$$eval(".metrics tbody tr", (r) => r.length);
  await page.check("text=only resolved differences");
  check("and can be had alone", (await page.$$eval(".metrics tbody tr", (r) => r.length)) < all);
  await page.selectOption(".metrics label:has-text('compare') select", "all");
  await page.waitForSelector(".metrics [aria-label='All sections in all runs'] tbody tr");
  await page.click("text=Runs");
  check("what the runs were is told", (await texts(page, ".about h2")).length === 2);
  await page.keyboard.press("r");
  check("r goes to the next run", (await page.getAttribute(".segments button:nth-child(2)", "aria-pressed")) === "true");
  check("with changes beside it", (await page.$$(".sections .change")).length > 0);
}

/* The patch must apply, and only add lines. */
async function testPatch(page) {
  await page.click("#tab-source");
  await page.click(".sections tbody tr:has-text('fill')");
  await page.waitForSelector(".line.inside");
  await page.click(".line[data-line='22'] .number");
  await page.click(".line[data-line='25'] .number", { modifiers: ["Shift"] });
  await page.click("text=Count lines 22–25");
  await page.fill("dialog input[type=text]", 'inner "loop"');
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("dialog >> text=Download")]);
  const path = join(tmp, "section.patch");
  await download.saveAs(path);
  await page.keyboard.press("Escape");
  const patched = join(tmp, "patched.c");
  execFileSync("patch", ["-s", "-o", patched, join(source, "tests/browser/demo.c"), path]);
  const before = readFileSync(join(source, "tests/browser/demo.c"), "utf8").split("\n");
  const after = readFileSync(patched, "utf8").split("\n");
  const added = after.filter((line, i) => !before.includes(line) && i >= 0).map((line) => line.trim());
  check("the patch adds two calls", added.join(" ") === 'hpmStart(6, "inner \\"loop\\""); hpmStop(6);', added);
  check("and nothing else", after.length === before.length + 2);
}

async function testTasks(browser) {
  const out = join(tmp, "tasks.html");
  const paths = makeTasks(join(tmp, "sixteen"), 16, { sections: 20, metrics: 5 });

  execFileSync(assay, ["view", "-q", "--html", out, ...paths]);
  const page = await openPage(browser, `file://${out}`);
  check("sixteen tasks are one run", (await textOf(page, ".detail")).startsWith("16 tasks"), await textOf(page, ".detail"));
  await page.keyboard.press("m");
  await page.selectOption(".metrics label:has-text('show') select", "rows");
  await page.waitForSelector(".grid.rows tbody tr");
  check("with a row each", (await page.$$(".grid.rows tbody tr")).length === 16);
  await page.click(".grid.rows thead button:has-text('metric_0')");
  const column = await texts(page, ".grid.rows tbody tr td:nth-child(6)");
  const numbers = column.map((text) => parseFloat(text.replace(/^[▲●▼] /, "")));
  check("rows sort by a metric", numbers.every((n, i) => i === 0 || numbers[i - 1] >= n), column);
  check("values are marked by shape", column.some((t) => t.startsWith("▲")) && column.some((t) => t.startsWith("▼")));
  await picture(page, "tasks-rows-1280-light");
  await checkAccess("tasks", page);
  checkQuiet("tasks", page, "file://");
  await page.close();
}

async function testLooks(page) {
  for (const [width, theme] of [[1280, "light"], [1280, "dark"], [800, "light"], [800, "dark"]]) {
    await page.setViewportSize({ width, height: 760 });
    if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.keyboard.press("t");
    for (const tab of ["source", "metrics", "compare", "about"]) {
      await page.click(`#tab-${tab}`);
      await until(() => page.$(".panel > *"));
      await picture(page, `${tab}-${width}-${theme}`);
      if ((width === 1280) === (theme === "light")) await checkAccess(`${tab} at ${width}, ${theme}`, page);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    check(`nothing sticks out at ${width}`, !wide);
  }
  await page.setViewportSize({ width: 1280, height: 760 });
}

/* What assay count left: one section without a source, and where it is from. */
async function testCount(browser) {
  const out = join(tmp, "count.html");

  for (const order of ["ijk", "ikj"])
    execFileSync(assay, ["count", "-q", "--pmu", "sim", "-o", join(tmp, `${order}.json`), "--", join(tmp, "demo"), order], { cwd: tmp, stdio: "ignore" });
  execFileSync(assay, ["view", "-q", "--html", out, join(tmp, "ijk.json"), join(tmp, "ikj.json")]);
  const page = await openPage(browser, `file://${out}`);
  check("a count is the whole program", (await texts(page, ".sections tbody .name button")).join() === "whole program");
  check("its metrics are there at once", (await texts(page, ".metrics tbody th")).includes("Instructions per cycle"), await texts(page, ".metrics tbody th"));
  check("raw counters are hidden", !(await texts(page, ".metrics tbody th")).includes("PAPI_TOT_INS"));
  await page.check(".metrics input[type=checkbox]");
  check("until asked for", (await texts(page, ".metrics tbody th")).includes("PAPI_TOT_INS"));
  await picture(page, "counts-1280-light");
  await page.click("role=tab[name=Compare]");
  check("counts are compared", (await page.$$(".change.sure, .change.better, .change.worse")).length > 3);
  await page.click("role=tab[name=Runs]");
  check("their commands are told", (await textOf(page, ".about")).includes(`${join(tmp, "demo")} ikj`));
  await picture(page, "counts-about-1280-light");
  await checkAccess("count", page);
  checkQuiet("count", page, "file://");
  await page.close();
}

/* A section under another name, and calls that do not fit together. */
async function testMismatch(browser) {
  const xml = readFileSync(join(tmp, "ikj/hpm_00000_demo.xml"), "utf8");
  const other = join(tmp, "renamed.xml");
  const out = join(tmp, "renamed.html");

  writeFileSync(
    other,
    xml
      .replaceAll('label="multiply"', 'label="matrix product"')
      .replace("</hpm>", '<Problem what="stopped but not started" id="2" file="demo.c" line="27" count="3"/></hpm>'),
  );
  execFileSync(assay, ["view", "-q", "--html", out, join(tmp, "ijk/hpm_00000_demo.xml"), other], { cwd: source });
  const page = await openPage(browser, `file://${out}#tab=compare`);
  check("a link opens its tab", (await page.getAttribute("#tab-compare", "aria-selected")) === "true");
  const said = await textOf(page, ".metrics .fault");
  check("a section that is missing is told, with why", said.includes("has no section “multiply”") && said.includes("label and file"), said);
  check("and what is nearest", said.includes("“matrix product”") && said.includes("same lines"), said);
  await page.click("text=Compare with it");
  check("which can be compared", (await page.$$("tr[data-key='PAPI_SR_INS'] .change.sure")).length === 1);
  await page.click("#tab-about");
  const problem = await textOf(page, ".about .advice li");
  check("problems are told in words", problem.startsWith("fill was stopped but not started, 3 times, at demo.c:27."), problem);
  check("with what to do", problem.includes("hpmStart()"), problem);
  await page.keyboard.press("s");
  await page.click(".sections tbody tr:has-text('fill')");
  const linked = await openPage(browser, page.url());
  check("a link has the section", (await textOf(linked, ".sections tr.chosen .name button")) === "fill", page.url());
  await linked.close();
  await page.close();
}

export async function testSections(browser) {
  const out = join(tmp, "runs.html");

  execFileSync(assay, ["view", "-q", "--html", out, join(tmp, "ijk/hpm_00000_demo.xml"), join(tmp, "ikj/hpm_00000_demo.xml")], {
    cwd: source,
  });
  check("a small page is small", statSync(out).size < 300000, statSync(out).size);
  const page = await openPage(browser, `file://${out}`);
  await testTree(page);
  await testList(page);
  await testSource(page);
  await testMetrics(page);
  await testCompare(page);
  await testPatch(page);
  await testLooks(page);
  await page.keyboard.press("?");
  check("keys are told", (await texts(page, "dialog kbd")).length > 5);
  checkQuiet("sections", page, "file://");
  await page.close();
  await testTasks(browser);
  await testCount(browser);
  await testMismatch(browser);
}
