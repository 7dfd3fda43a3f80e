// SPDX-License-Identifier: BSD-3-Clause
/* Reports of other verbs: every kind of part. */
import { join } from "node:path";

import { check, checkAccess, checkQuiet, openPage, picture, textOf, texts, tmp } from "./harness.mjs";
import { HOSTILE, makePage } from "./make.mjs";

const sizes = [4096, 16384, 65536, 262144, 1048576, 4194304];
const document_ = {
  title: "Cache sweep",
  subtitle: "simulated: icx",
  facts: [
    { name: "L1d", value: "48 KiB" },
    { name: "Gate", value: "pass" },
  ],
  parts: [
    { kind: "text", title: "What it is", text: `Latency of dependent loads.\n${HOSTILE}` },
    {
      kind: "chart",
      title: "Latency",
      x: { label: "bytes", log: true },
      y: { label: "latency", unit: "cycles" },
      marks: [{ x: 49152, label: "L1d" }],
      series: [
        { name: "load", style: "both", x: sizes, y: [5, 5, 14, 14, 40, 60] },
        { name: "store", style: "steps", x: sizes.slice(0, 4), y: [1, 1, 3, null] },
      ],
    },
    {
      kind: "table",
      title: "Events",
      columns: [{ name: "event", kind: "code" }, { name: "count", kind: "count" }, { name: "error", kind: "percent" }, { name: "verdict", kind: "verdict" }],
      rows: [
        ["B_EVENT", 5, 1.5, "pass"],
        ["A_EVENT", 70000, null, "fail"],
        ["C_EVENT", 12, 0, "skip"],
        ["LARGE_EVENT", "9007199254740993", 0, "skip"],
        ["LARGEST_EVENT", "9223372036854775807", 0, "skip"],
        ...Array.from({ length: 3000 }, (_, i) => [`E${i}`, i, 0, "pass"]),
      ],
    },
    { kind: "matrix", title: "Signatures", rows: ["taken", "not taken"], columns: ["COND", "TAKEN"], values: [[1, 1], [1, 0]] },
    { kind: "bars", title: "LCPI", unit: "cycles", items: [{ name: "data", value: 2.5, verdict: "poor" }, { name: "branches", value: 0.4, verdict: "good" }] },
    { kind: "unheard of" },
  ],
};

export async function testReport(browser) {
  const path = makePage(join(tmp, "report.html"), "report", document_);
  const page = await openPage(browser, `file://${path}`);

  check("a report has its title", (await textOf(page, "h1")) === "Cache sweep");
  check("text is text", (await textOf(page, ".prose")).includes(HOSTILE));
  check("nothing of it ran", !(await page.evaluate(() => window.pwned)));
  await page.waitForSelector(".chart canvas");
  await page.check(".part:has(.chart) input[type=checkbox]");
  check("a chart is a table, too", (await texts(page, "[aria-label=Latency] tbody th"))[0] === "4,096");
  check("a long table is drawn in part", (await page.$$("[aria-label=Events] tbody tr")).length < 300);
  check("rows come as they were", (await texts(page, "[aria-label=Events] tbody th"))[0] === "B_EVENT");
  await page.click("[aria-label=Events] thead button >> nth=1");
  check("until they are sorted", (await texts(page, "[aria-label=Events] tbody th"))[2] === "A_EVENT");
  check(
    "64-bit counts have all digits",
    (await texts(page, "[aria-label=Events] tbody td:nth-child(2)")).slice(0, 2).join() === "9,223,372,036,854,775,807,9,007,199,254,740,993",
  );
  await page.fill("[aria-label='Find rows']", "c_event");
  check("or searched", (await page.$$("[aria-label=Events] tbody tr")).length === 1);
  await page.fill("[aria-label='Find rows']", "");
  check("a part that is not known is told", (await texts(page, ".fault")).some((t) => t.includes("unheard of")));
  for (const [width, theme] of [[1280, "light"], [800, "dark"]]) {
    await page.setViewportSize({ width, height: 1500 });
    if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.keyboard.press("t");
    await picture(page, `report-${width}-${theme}`);
    await checkAccess(`report at ${width}, ${theme}`, page);
  }
  checkQuiet("report", page, "file://");
  await page.close();
  const other = await openPage(browser, `file://${makePage(join(tmp, "other.html"), "nonsense", {})}`, { scripts: false });
  check("a page without known data says so", (await textOf(other, "#app")).includes("no data"));
  await other.close();
}
