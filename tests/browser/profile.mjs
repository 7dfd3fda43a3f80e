// SPDX-License-Identifier: BSD-3-Clause
/* Profiles: functions, lines, addresses, flames; also without sources. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { assay, check, checkAccess, checkQuiet, openPage, picture, source, textOf, texts, tmp } from "./harness.mjs";

async function testDemo(browser) {
  const out = join(tmp, "profile.html");

  execFileSync(assay, ["view", "-q", "--html", out, join(tmp, "ijk/hpm_00000_demo.xml"), join(tmp, "demo.json")], { cwd: source });
  const page = await openPage(browser, `file://${out}`);
  await page.click(".sections tbody tr:has-text('multiply')");
  await page.waitForSelector(".heat-text");
  check("the gutter of a section's source has the profile's counts", (await texts(page, ".heat-text")).some((t) => /\d/.test(t)));
  await page.click("text=Profile");
  await page.waitForSelector(".sections tbody tr");
  const first = await textOf(page, ".sections tbody tr .name button");
  check("the function with most samples is first", first === "multiply_ijk", first);
  await page.waitForSelector(".line.inside .heat-text");
  const line = await textOf(page, ".line.inside code");
  check("its hottest line is shown", line.includes("k < N") || line.includes("c[i][j]"), line);
  for (const tab of ["psource", "lines", "addresses", "flame", "pabout"]) {
    await page.click(`#tab-${tab}`);
    await page.waitForSelector(".panel > *");
    await picture(page, `profile-${tab}-1280-light`);
    if (["psource", "flame"].includes(tab)) await checkAccess(`profile ${tab}`, page);
  }
  await page.click("#tab-lines");
  const lines = await texts(page, "[aria-label=Lines] tbody th");
  check("lines are named", lines[0].startsWith("demo.c:3"), lines.slice(0, 3));
  await page.click("#tab-addresses");
  await page.waitForSelector(".spread canvas");
  check("instructions are listed", (await texts(page, "[aria-label=Instructions] tbody code"))[0].startsWith("0x"));
  await page.click("#tab-flame");
  const boxes = () => page.$$eval(".flame-box", (all) => all.map((b) => b.textContent));
  check("flames have callers below", (await boxes()).includes("main") && (await boxes()).includes("multiply_ijk"));
  await page.click(".flame-box:text-is('multiply')");
  const width = await page.$eval(".flame-box:text-is('multiply')", (b) => b.offsetWidth / b.parentElement.offsetWidth);
  check("a click looks closer", width > 0.95, width);
  await page.fill(".flame-pane input", "ijk");
  check("functions can be marked", (await page.$$(".flame-box.found")).length > 0);
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 800, height: 760 });
  await picture(page, "profile-flame-800-light");
  await page.click("#tab-addresses");
  await page.waitForSelector(".spread canvas");
  await checkAccess("profile at 800", page);
  checkQuiet("profile", page, "file://");
  await page.close();
}

/* Code without debug information, and sources that are not here. */
async function testBare(browser) {
  const out = join(tmp, "bare.html");

  execFileSync(assay, ["view", "-q", "--html", out, join(source, "tests/fixtures/profile/two.json")], { cwd: tmp });
  const page = await openPage(browser, `file://${out}`);
  await page.waitForSelector(".sections tbody tr");
  check("a profile alone opens", (await page.$$(".sections tbody tr")).length > 3);
  await page.waitForSelector(".source-pane .note, .panel > .note");
  check("a missing source is told", (await textOf(page, ".panel")).includes("not found"), await textOf(page, ".panel"));
  await page.selectOption(".left label:has-text('event') select", "1");
  await page.click("#tab-addresses");
  await page.waitForSelector(".panel canvas, .panel .note");
  await picture(page, "profile-bare-1280-light");
  checkQuiet("bare profile", page, "file://");
  await page.close();
}

export async function testProfile(browser) {
  await testDemo(browser);
  await testBare(browser);
}
