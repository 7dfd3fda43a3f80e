// SPDX-License-Identifier: BSD-3-Clause
/*
 * Many tasks: only what is in sight is drawn. With ASSAY_LARGE=1 the size that
 * the viewer is made for, and how long it takes to open and to scroll.
 */
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";

import { assay, check, checkQuiet, openPage, picture, serve, texts, tmp } from "./harness.mjs";
import { makeTasks } from "./make.mjs";

const LARGE = process.env.ASSAY_LARGE === "1";
const STEPS = 60;
/* ASSAY_LARGE=1: many tasks; ASSAY_LARGE=sections: 1,000 sections of 100 tasks, which open in a second of computing. */
const SHAPES = {
  1: { tasks: 1000, sections: 100, metrics: 25 },
  sections: { tasks: 100, sections: 1000, metrics: 10 },
};
const shape = SHAPES[process.env.ASSAY_LARGE] || { tasks: 150, sections: 40, metrics: 10 };

/* Counts the milliseconds that the page's main thread computes from now on. */
async function stopwatch(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find((m) => m.name === "TaskDuration").value;
  };
}

/* Scroll through the rows; the longest time between two frames. */
async function scroll(page, selector) {
  return page.$eval(selector, async (box, steps) => {
    let worst = 0;
    let last = performance.now();
    for (let i = 0; i < steps; i++) {
      box.scrollTop += 400;
      await new Promise((give) => requestAnimationFrame(give));
      const now = performance.now();
      worst = Math.max(worst, now - last);
      last = now;
    }
    return worst;
  }, STEPS);
}

async function testOne(browser, url, how, base) {
  let computed;
  const began = Date.now();
  const page = await openPage(browser, url, { before: async (p) => (computed = await stopwatch(p)) });
  await page.waitForSelector(".sections tbody tr");
  const ms = Date.now() - began;
  const opening = await computed();
  check(`${how}: all sections are there`, (await page.$eval(".sections table", (t) => Number(t.getAttribute("aria-rowcount")))) === shape.sections + 1);
  await page.keyboard.press("m");
  await page.selectOption(".metrics label:has-text('show') select", "rows");
  await page.waitForSelector(".grid.rows tbody tr");
  const rows = await page.$eval(".grid.rows table", (t) => Number(t.getAttribute("aria-rowcount")));
  check(`${how}: a row for each task`, rows === shape.tasks + 1, rows);
  check(`${how}: few of them are drawn`, (await page.$$(".grid.rows tbody tr")).length < 130);
  const before = await computed();
  const worst = await scroll(page, ".grid.rows");
  const scrolled = (await computed()) - before;
  await page.$eval(".grid.rows", (box) => (box.scrollTop = box.scrollHeight));
  await page.waitForFunction((last) => [...document.querySelectorAll(".grid.rows tbody th")].some((th) => th.textContent === last), String(shape.tasks - 1));
  check(`${how}: the last can be scrolled to`, (await texts(page, ".grid.rows tbody th")).includes(String(shape.tasks - 1)));
  console.log(`${how}: ${shape.tasks} tasks x ${shape.sections} sections x ${shape.metrics + 5} numbers open in ${ms} ms (${opening.toFixed(0)} ms computed), scrolling computes ${(scrolled / STEPS).toFixed(1)} ms a step, longest frame ${worst.toFixed(0)} ms`);
  if (process.env.ASSAY_LARGE === "sections") check(`${how}: opens in under 1 s of computing`, opening < 1000, opening);
  if (LARGE) check(`${how}: opens in under 2 s`, ms < 2000, ms);
  await picture(page, `large-${how}`);
  checkQuiet(how, page, base);
  await page.close();
}

export async function testLarge(browser) {
  const out = join(tmp, "large.html");
  const paths = makeTasks(join(tmp, "large"), shape.tasks, shape);

  execFileSync(assay, ["view", "-q", "--html", out, ...paths]);
  console.log(`page of ${(statSync(out).size / 1e6).toFixed(1)} MB`);
  await testOne(browser, `file://${out}`, "from-disk", "file://");
  const server = await serve(["view", "-q", "--no-open", ...paths]);
  await testOne(browser, server.url, "served", server.url);
  await server.end();
}
