// SPDX-License-Identifier: BSD-3-Clause
/* Profiles: functions, lines, addresses, flames; also without sources. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { assay, check, checkAccess, checkQuiet, openPage, picture, source, textOf, texts, tmp, until } from "./harness.mjs";

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
  for (const tab of ["psource", "assembly", "lines", "addresses", "flame", "times", "calls", "pabout"]) {
    await page.click(`#tab-${tab}`);
    await page.waitForSelector(".panel > *");
    await picture(page, `profile-${tab}-1280-light`);
    if (["psource", "assembly", "lines", "flame", "calls"].includes(tab)) await checkAccess(`profile ${tab}`, page);
  }
  await page.click("#tab-assembly");
  await page.waitForSelector(".beside .assembly tbody tr, .beside > .note:not(:has-text('Reading'))");
  if ((await page.$$(".beside > .note")).length) {
    check("without a disassembler that is told", (await textOf(page, ".beside > .note")).includes("Zydis"));
  } else {
    // rows are drawn before the list has moved to the one with most samples
    let code = [];
    const multiplies = async () => (code = await texts(page, ".assembly tbody th code")).some((t) => /^mul(sd|pd)|^addsd|^vfm|^vmul/.test(t));
    check("machine code stands beside the source", await until(multiplies), code.slice(0, 5));
    check("with samples and lines", (await texts(page, ".assembly .heat-text")).some((t) => /\d %/.test(t)) && (await texts(page, ".assembly tbody tr td:nth-child(3)")).some((t) => t.startsWith("demo.c:3")));
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

/* Who calls whom, and two profiles as one flame graph. */
async function testCalls(browser) {
  const out = join(tmp, "two.html");
  const other = join(tmp, "ikj.profile.json");

  execFileSync(assay, ["record", "-q", "--pmu", "sim", "-g", "-e", "PAPI_TOT_INS@1000", "-o", other, "--", join(tmp, "demo"), "ikj"], {
    env: { ...process.env, HPM_LOG_DIR: tmp },
    stdio: "ignore",
  });
  execFileSync(assay, ["view", "-q", "--html", out, join(tmp, "demo.json"), other], { cwd: source });
  const page = await openPage(browser, `file://${out}#ptab=calls&function=multiply`);
  await page.waitForSelector("[aria-label='Called by'] tbody tr");
  check("callers are listed", (await texts(page, "[aria-label='Called by'] tbody th")).includes("main"));
  check("and callees", (await texts(page, "[aria-label=Calls] tbody th")).includes("multiply_ijk"));
  await page.click("[aria-label=Calls] tbody tr");
  await until(() => page.url().includes("function="), 5000);
  check("a click goes there, which the address says", page.url().includes("function=multiply_ijk"), page.url());
  await page.close();
  const diff = await openPage(browser, `file://${out}#view=profile-1&ptab=flame&against=0`);
  await diff.waitForSelector(".flame-box");
  const colour = (name) => diff.$eval(`.flame-box:text-is('${name}')`, (b) => b.style.background);
  const redder = (text) => text.match(/\d+/g).map(Number);
  const [grown, shrunk] = [redder(await colour("multiply_ikj")), redder(await colour("multiply_ijk"))];
  check("what grew is red, what shrank blue", grown[0] > grown[2] && shrunk[2] > shrunk[0], [grown, shrunk]);
  check("the numbers are told", /was .* points/.test(await diff.getAttribute(".flame-box:text-is('multiply_ikj')", "aria-label")));
  await diff.focus(".flame-box:text-is('multiply_ikj')");
  await diff.keyboard.press("Enter");
  check("a box opens by keyboard", (await diff.$eval(".flame-box:text-is('multiply_ikj')", (b) => b.offsetWidth / b.parentElement.offsetWidth)) > 0.95);
  await picture(diff, "profile-difference-1280-light");
  await checkAccess("profile difference", diff);
  checkQuiet("profile difference", diff, "file://");
  await diff.close();
}

/* Samples over time: a part of it is chosen by keyboard, by mouse and by a link. */
async function testTimes(browser) {
  const out = join(tmp, "times.html");
  const samples = async (page) => Number((await textOf(page, ".left .quietly")).replace(/\D/g, ""));

  execFileSync(assay, ["view", "-q", "--html", out, join(source, "tests/fixtures/profile/times.json")], { cwd: tmp });
  const page = await openPage(browser, `file://${out}#ptab=times`);
  await page.waitForSelector(".time-row canvas");
  check("a row for each thread and one for all", (await texts(page, ".time-name")).length === 3, await texts(page, ".time-name"));
  check("all samples are there", (await samples(page)) === 1206, await samples(page));
  const ink = await page.$eval(".time-row canvas", (c) => new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size);
  check("rows are drawn", ink > 4, ink);
  await page.focus(".time-end:has-text('to') input");
  for (let i = 0; i < 30; i++) await page.keyboard.press("ArrowLeft");
  await until(() => page.url().includes("time=0-10"), 5000);
  check("the keyboard chooses a part", page.url().includes("time=0-10"), page.url());
  const first = await samples(page);
  check("which the functions are of", first > 200 && first < 400, first);
  check("and the flame graph", (await page.getAttribute(".flame-box", "aria-label")).includes(`${first} samples`), await page.getAttribute(".flame-box", "aria-label"));
  await page.click("text=Whole time");
  await until(() => !page.url().includes("time="), 5000);
  check("and all of it again", (await samples(page)) === 1206 && !page.url().includes("time="), page.url());
  const box = await (await page.$(".time-over")).boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 30, { steps: 4 });
  await page.mouse.up();
  await until(() => page.url().includes("time="), 5000);
  check("the mouse does, too", /time=(19|20)-(30|31)/.test(page.url()), page.url());
  const names = await texts(page, ".sections tbody .name button");
  await page.click("text=Zoom");
  await picture(page, "profile-times-1280-light");
  await checkAccess("profile over time", page);
  const again = await openPage(browser, page.url());
  await again.waitForSelector(".time-row canvas");
  check("a link shows the same part", JSON.stringify(await texts(again, ".sections tbody .name button")) === JSON.stringify(names), names);
  check("and how it is looked at", (await again.getAttribute("button:has-text('Zoom')", "aria-pressed")) === "true");
  await again.close();
  for (const [width, theme] of [[800, "light"], [800, "dark"], [1280, "dark"]]) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 760 });
    await checkAccess(`profile over time, ${width} ${theme}`, page);
    check(`no overflow at ${width}`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await picture(page, `profile-times-${width}-${theme}`);
  }
  checkQuiet("profile over time", page, "file://");
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
  check("without times there is no view of them", (await page.$$("#tab-times")).length === 0);
  await page.click("#tab-pabout");
  check("which is told", (await textOf(page, ".about")).includes("cannot be shown over time"));
  checkQuiet("bare profile", page, "file://");
  await page.close();
}

export async function testProfile(browser) {
  await testDemo(browser);
  await testCalls(browser);
  await testTimes(browser);
  await testBare(browser);
}
