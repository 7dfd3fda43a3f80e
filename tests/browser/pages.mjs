// SPDX-License-Identifier: BSD-3-Clause
/*
 * The page of every verb, of real programs: it opens on the answer at both
 * widths and in both themes, nothing is wider than the window, axe finds
 * nothing, every control can be reached by keyboard, and the address says
 * what is shown.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { assay, build, check, checkAccess, checkQuiet, openPage, picture, source, textOf, texts, tmp, until } from "./harness.mjs";
import { taskXml } from "./make.mjs";

const LOOKS = [
  [1280, "light"],
  [1280, "dark"],
  [800, "light"],
  [800, "dark"],
];
const HEIGHT = 760;
const example = (name) => join(build, "examples", name);

function make(name, args) {
  const out = join(tmp, `${name}.html`);

  execFileSync(assay, [...args.slice(0, 1), "-q", "--pmu", "sim", "-o", out, ...args.slice(1)], {
    cwd: tmp,
    stdio: "ignore",
    env: { ...process.env, XDG_STATE_HOME: tmp, XDG_DATA_HOME: tmp },
  });
  return out;
}

async function setTheme(page, theme) {
  if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.keyboard.press("t");
}

/* Whether all of @selector that stand for the answer are seen without scrolling. */
const isInSight = (page, selector) =>
  page.$$eval(selector, (all) => all.length > 0 && all.every((e) => e.getBoundingClientRect().top < innerHeight - 24));

/* Names of what can be reached with Tab, as far as @most steps go. */
async function reachable(page, most = 300) {
  const seen = [];

  await page.evaluate(() => {
    document.body.tabIndex = -1; /* the next Tab begins at the top */
    document.body.focus();
    document.body.removeAttribute("tabindex");
  });
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return null;
      e.dataset.reached = "1";
      return e.tagName;
    });
    if (name === null) break;
    seen.push(name);
  }
  return page.$$eval("button, select, input, summary, a[href], tr.can[tabindex='0']", (all) =>
    all
      .filter((e) => e.checkVisibility() && !e.disabled && !e.dataset.reached && e.tabIndex >= 0)
      .map((e) => e.outerHTML.slice(0, 80)),
  );
}

/*
 * A list whose rows can be chosen: Tab leads to one row of @list, arrows move
 * from it, and Enter chooses. It leaves the first row chosen.
 */
export async function checkListKeys(name, page, list) {
  const focused = () => page.evaluate((s) => document.activeElement.matches(`${s} tbody tr`) && document.activeElement.dataset.key, list);
  const chosen = () => page.$eval(`${list} tbody tr.chosen`, (row) => row.dataset.key);
  const keys = await page.$$eval(`${list} tbody tr`, (rows) => rows.map((row) => row.dataset.key));

  await page.focus(`${list} thead th:last-child button`);
  await page.keyboard.press("Tab");
  check(`${name}: Tab leads to the chosen row`, (await focused()) === (await chosen()), await focused());
  await page.keyboard.press("End");
  const [last, rows] = await page.$eval(`${list} table`, (t) => [document.activeElement.ariaRowIndex, t.ariaRowCount]);
  check(`${name}: End goes to the last row`, (await focused()) && last === rows, [last, rows]);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  check(`${name}: an arrow goes to the next`, (await focused()) === keys[1], await focused());
  await page.keyboard.press("Enter");
  check(`${name}: Enter chooses`, (await chosen()) === keys[1] && (await focused()) === keys[1], await chosen());
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  check(`${name}: Tab comes back to it`, (await focused()) === keys[1], await focused());
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  check(`${name}: and back up`, (await chosen()) === keys[0], await chosen());
}

/* The page as it opens at @width. */
async function openAt(page, width, theme) {
  await page.setViewportSize({ width, height: HEIGHT });
  await page.reload();
  await page.waitForSelector("header.top");
  await setTheme(page, theme);
}

/* The four looks of a page; @answer is what has to be in sight. */
export async function checkLooks(name, page, answer) {
  for (const [width, theme] of LOOKS) {
    await openAt(page, width, theme);
    for (const selector of answer) check(`${name} at ${width}: ${selector} is in sight`, await until(() => isInSight(page, selector), 10000));
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(`${name} at ${width}: nothing is wider than the window`, over <= 0, over);
    await picture(page, `${name}-${width}-${theme}`);
    if (width === 1280 ? theme === "light" : theme === "dark") await checkAccess(`${name} at ${width}, ${theme}`, page);
  }
  await page.setViewportSize({ width: 1280, height: HEIGHT });
  await setTheme(page, "light");
  const missed = await reachable(page);
  check(`${name}: every control is reached with Tab`, missed.length === 0, missed);
}

async function testCount(browser) {
  const page = await openPage(browser, `file://${make("count", ["count", example("matmul"), "60"])}`);

  check("a count is named by its program", (await textOf(page, "h1")) === "matmul 60");
  check("its first card is of cycles", (await texts(page, ".card-name"))[0] === "Instructions per cycle");
  check("then comes what is poor", (await texts(page, ".card:nth-child(2)"))[0].includes("poor"), await texts(page, ".card"));
  check("cycles are stacked", (await texts(page, ".stack-name"))[0] === "Work that retired", await texts(page, ".stack-name"));
  const shares = await page.$$eval(".stack-names b", (all) => all.map((b) => parseFloat(b.textContent)));
  check("the stack is a whole", Math.abs(shares.reduce((a, b) => a + b, 0) - 100) < 0.5, shares);
  check("metrics have names, not keys", (await texts(page, "[aria-label=Metrics] tbody th"))[0] === "Instructions per cycle");
  check("no row lacks a value", !(await texts(page, "[aria-label=Metrics] tbody td:nth-child(2)")).includes("–"));
  check("those without say why", (await texts(page, ".folded li"))[0].includes("simulated times"), await texts(page, ".folded li"));
  await page.click("[aria-label=Metrics] thead button >> nth=1");
  await page.check("label:has-text('names and formulas') input");
  const first = (await texts(page, "[aria-label=Metrics] tbody th"))[0];
  const linked = await openPage(browser, page.url());
  check("a link has the order", (await texts(linked, "[aria-label=Metrics] tbody th"))[0] === first, page.url());
  check("and the columns", (await texts(linked, "[aria-label=Metrics] thead th")).some((t) => t.startsWith("Formula")));
  await linked.close();
  await checkLooks("count", page, [".lead", ".card", ".advice li:first-child"]);
  checkQuiet("count", page, "file://");
  await page.close();
}

async function testRoofline(browser) {
  const json = join(tmp, "triad.json");
  const run = (args) => execFileSync(assay, ["model", "roofline", "-q", "--pmu", "sim", ...args], { stdio: "ignore" });

  run(["-o", json, join(build, "tests/metrics/busy"), "flops", "4"]);
  run(["--with", json, "-o", join(tmp, "roofline.html"), example("matmul"), "60"]);
  const page = await openPage(browser, `file://${join(tmp, "roofline.html")}`);
  check("a roofline is named by its program", (await textOf(page, "h1")) === "matmul 60: roofline");
  check("a sentence interprets it", /matmul 60 does .* per byte .* reaches .* Gflop\/s/.test(await textOf(page, ".lead")), await textOf(page, ".lead"));
  const roofs = await texts(page, ".roof text");
  check("roofs are labelled", roofs.some((t) => /^avx2 fma: 41.6 Gflop\/s/.test(t)) && roofs.some((t) => t.startsWith("all misses in flight: ")), roofs);
  const points = await texts(page, ".roof-point > text");
  check("points are, with both programs", points.includes("matmul 60") && points.includes("busy flops 4"), points);
  check("threads and levels beside them", points.includes("thread 1") && points.includes("L3"), points);
  await page.hover(".roof-point.program circle >> nth=0");
  check("a point says its numbers", /Gflop\/s at .* flop\/B/.test(await textOf(page, ".legend[role=status]")), await textOf(page, ".legend[role=status]"));
  await page.uncheck("label:has-text('threads') input");
  check("threads can be left out", !(await texts(page, ".roof-point > text")).includes("thread 1"));
  await until(() => page.url().includes("points0="), 5000);
  check("which the address says", page.url().includes("points0="), page.url());
  await checkLooks("roofline", page, [".lead", ".roof-point.program"]);
  checkQuiet("roofline", page, "file://");
  await page.close();
}

async function testDiff(browser) {
  const out = join(tmp, "diff.html");
  const count = (order) => {
    const path = join(tmp, `matmul-${order}.json`);
    execFileSync(assay, ["count", "-q", "--pmu", "sim", "-o", path, example("matmul"), "60", order], { stdio: "ignore" });
    return path;
  };

  execFileSync(assay, ["diff", "-o", out, count("ijk"), count("ikj")]);
  const page = await openPage(browser, `file://${out}`);
  check("a diff says what changed in a sentence", /^B takes .* % fewer cycles than A. \d+ of \d+ values differ/.test(await textOf(page, ".lead")), await textOf(page, ".lead"));
  const changes = await texts(page, ".grid tbody td:nth-child(4)");
  const sizes = changes.map((t) => Math.abs(parseFloat(t.replaceAll(",", "").replace("−", "-"))));
  check("the largest comes first", sizes.length > 5 && sizes.every((n, i) => i === 0 || sizes[i - 1] >= n), changes);
  const values = await texts(page, ".grid tbody th");
  check("metrics have names there, too", values.includes("Instructions per cycle") && !values.includes("ipc"), values);
  const cards = await texts(page, ".card-name");
  check("also on cards", cards.length > 0 && !cards.some((name) => /^[a-z0-9]+_[a-z0-9_]+$/.test(name)), cards);
  await page.check("label:has-text('names for --limit') input");
  check("the name for --limit is told when asked", (await texts(page, ".grid tbody td:last-child")).includes("ipc"));
  await page.uncheck("label:has-text('names for --limit') input");
  const cycles = await page.$eval(".grid tr:has-text('PAPI_TOT_CYC')", (r) => r.textContent);
  check("fewer cycles are better", cycles.includes("better") && cycles.includes("−"), cycles);
  const heads = (await texts(page, ".grid thead th")).map((text) => text.replace(/\W*$/, ""));
  check("of one section and without limits there is no column of either", !heads.includes("Section") && !heads.includes("Limit"), heads);
  const counts = (await texts(page, ".card")).filter((text) => text.startsWith("PAPI_"));
  check("counts are whole", counts.length > 0 && !counts.some((text) => /\d\.\d+ →|→ [\d,]+\.\d/.test(text)), counts);
  await checkLooks("diff", page, [".lead", ".card:first-child"]);
  checkQuiet("diff", page, "file://");
  await page.close();
  await testUnmatched(browser);
}

/* Two runs of which no section is the same: why, and what is nearest. */
async function testUnmatched(browser) {
  const [a, b, out] = ["one.xml", "two.xml", "unmatched.html"].map((name) => join(tmp, name));

  writeFileSync(a, taskXml({ task: 0, sections: 2, metrics: 1, label: (s) => `solve step ${s}` }));
  writeFileSync(b, taskXml({ task: 0, sections: 2, metrics: 1, label: (s) => `solver step ${s}` }));
  execFileSync(assay, ["diff", "-o", out, a, b]);
  const page = await openPage(browser, `file://${out}`);
  check("nothing to compare is told", (await textOf(page, ".lead")).startsWith("Nothing can be compared"), await textOf(page, ".lead"));
  check("with the nearest section", (await texts(page, ".advice li"))[0].includes("the nearest in B is solver step"), await texts(page, ".advice li"));
  await page.close();
}

async function testMachine(browser) {
  const page = await openPage(browser, `file://${make("machine", ["machine", "--no-save", "--sweep", "L2"])}`);

  check("a machine opens on its table", (await page.$eval(".part", (p) => p.className)).includes("table-part"));
  const names = await texts(page, "[aria-label=Constants] tbody th");
  check("constants have names, not keys", names.length > 10 && !names.some((name) => name.includes("_")), names.filter((name) => name.includes("_")));
  check("sizes have units of people", (await textOf(page, "tr:has-text('L1 data cache: size')")).includes("48KiB"), await textOf(page, "tr:has-text('L1 data cache: size')"));
  check("no curve is drawn unasked", (await page.$$(".chart")).length === 0);
  await page.click("summary >> nth=0");
  await page.waitForSelector(".chart canvas");
  await until(() => page.url().includes("open1=1"), 5000);
  check("the address has the curve", page.url().includes("open1=1"), page.url());
  await checkLooks("machine", page, [".lead", ".grid"]);
  await page.close();
}

/* Pages of single events: of a validation, and of a classification. */
async function testEvents(browser) {
  const page = await openPage(browser, `file://${make("validate", ["validate", "-e", "PAPI_TOT_INS,PAPI_L1_DCM"])}`);

  check("a validation says what can be trusted", (await textOf(page, ".lead")).startsWith("2 of 2 events"), await textOf(page, ".lead"));
  await page.click("a.item >> nth=1");
  await page.waitForSelector(".chart canvas");
  await until(() => page.url().endsWith("#event=PAPI_L1_DCM"), 5000);
  check("an event has a page", (await textOf(page, "h1")) === "PAPI_L1_DCM" && page.url().endsWith("#event=PAPI_L1_DCM"), page.url());
  await page.click("text=All events");
  check("and a way back", (await page.$$("a.item")).length === 2);
  await checkLooks("validate", page, [".lead", ".grid"]);
  await page.close();
  const only = make("classify", ["classify", "-e", "sim::BR_INST_RETIRED:COND,sim::BR_INST_RETIRED:COND_TAKEN", "--kernels", "branch/[1-7]*"]);
  const event = await openPage(browser, `file://${only}#event=sim%3A%3ABR_INST_RETIRED%3ACOND`);
  check("an event's page says what it counts, and how sure that is", /counts conditional branches.* This is /.test(await textOf(event, ".lead")), await textOf(event, ".lead"));
  const parts = await texts(event, ".part h2");
  check("what to use, its curves, and why", ["What to use", "Counts over iterations", "Why: the explanations, best first"].every((t) => parts.includes(t)), parts);
  check("with the runners-up", (await page_rows(event, "Why: the explanations, best first")) > 1);
  await checkLooks("classify-event", event, [".lead", ".advice li"]);
  await event.close();
}

const page_rows = (page, label) => page.$$eval(`[aria-label="${label}"] tbody tr`, (rows) => rows.length);

/* Sections and a profile of one program: a page each. */
async function testSectionLooks(browser) {
  const out = join(tmp, "looks.html");

  execFileSync(assay, ["view", "-q", "--html", out, join(tmp, "ijk/hpm_00000_demo.xml"), join(tmp, "demo.json")], { cwd: source });
  const page = await openPage(browser, `file://${out}`);
  await page.waitForSelector(".line.inside");
  await checkListKeys("sections", page, ".sections");
  await testTreeKeys(page);
  await checkLooks("sections", page, [".detail", ".sections tbody tr.chosen", ".verdict-strip", ".line.inside"]);
  checkQuiet("sections", page, "file://");
  await page.close();
  const profile = await openPage(browser, `file://${out}#view=profile-0`);
  await profile.waitForSelector(".line.inside .heat-text");
  await checkListKeys("profile", profile, ".sections");
  await checkLooks("profile", profile, [".sections tbody tr.chosen", ".line.inside"]);
  checkQuiet("profile", profile, "file://");
  await profile.close();
}

async function testTreeKeys(page) {
  const rows = () => page.$$eval(".sections tbody tr", (all) => all.length);
  const all = await rows();
  const open = () => page.getAttribute(".sections tbody tr:first-child", "aria-expanded");

  await page.focus(".sections tbody tr:first-child");
  check("a tree tells what is open", (await open()) === "true");
  await page.keyboard.press("ArrowLeft");
  check("Left closes what is inside a section", (await rows()) < all && (await open()) === "false", await rows());
  await page.keyboard.press("ArrowRight");
  check("Right opens it again", (await rows()) === all && (await open()) === "true", await rows());
}

export async function testPages(browser) {
  await testSectionLooks(browser);
  await testMachine(browser);
  await testEvents(browser);
  await testDiff(browser);
  await testRoofline(browser);
  await testCount(browser);
}
