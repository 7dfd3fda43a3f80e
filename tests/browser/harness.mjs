// SPDX-License-Identifier: BSD-3-Clause
/* A browser, its complaints, and checks that go on after one has failed. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const [source, build, tmp] = process.argv.slice(2);
const require = createRequire(join(build, "viewer", "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
export const assay = join(build, "assay");
const pictures = process.env.ASSAY_SCREENSHOTS;

const PATIENCE = 120000; /* ms that a busy machine may take */

let failed = 0;
let passed = 0;

export function check(what, holds, seen) {
  if (holds) {
    passed++;
    return;
  }
  failed++;
  console.log(`FAIL: ${what}${seen === undefined ? "" : `: ${JSON.stringify(seen)}`}`);
}

export function finish() {
  console.log(`${passed} checks passed, ${failed} failed`);
  return failed ? 1 : 0;
}

export async function openBrowser(options = {}, profile = join(tmp, `profile-${Math.random()}`)) {
  const context = await chromium.launchPersistentContext(profile, {
    timeout: PATIENCE,
    executablePath: process.env.ASSAY_BROWSER,
    headless: true,
    args: FLAGS,
    acceptDownloads: true,
    viewport: { width: 1280, height: 760 },
    ...options,
  });
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/* A page whose complaints and requests are kept. */
export async function openPage(browser, url, { scripts = true, before } = {}) {
  const page = await browser.newPage();

  if (before) await before(page);
  page.complaints = [];
  page.asked = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.complaints.push(m.text()));
  page.on("pageerror", (e) => page.complaints.push(e.message));
  page.on("request", (r) => page.asked.push(r.url()));
  await page.goto(url);
  if (scripts) await page.waitForSelector("header.top");
  return page;
}

/* Nothing loaded from elsewhere, nothing complained of. */
export function checkQuiet(what, page, base) {
  check(`${what}: no console error`, page.complaints.length === 0, page.complaints);
  const strange = page.asked.filter((url) => !url.startsWith(base) && !url.startsWith("data:") && !url.startsWith("blob:"));
  check(`${what}: nothing from the network`, strange.length === 0, strange);
}

/* axe-core runs in a world of its own, which the page's policy allows. */
export async function checkAccess(what, page) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  await session.send("Runtime.evaluate", { contextId: executionContextId, expression: axe });
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    contextId: executionContextId,
    expression: `axe.run(document, { resultTypes: ["violations"] }).then((r) => JSON.stringify(r.violations
      .map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120) + " " + (n.any[0]?.message || "")).join(" | "))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const found = exceptionDetails ? [exceptionDetails.text] : JSON.parse(result.value);
  check(`${what}: accessible`, found.length === 0, found);
}

export async function picture(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/* Start assay with a page to serve; gives its address and how to end it. */
export async function serve(args, options = {}) {
  const child = spawn(assay, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  let text = "";
  const url = await new Promise((give, fail) => {
    const look = (chunk) => {
      text += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\//.exec(text);
      if (found) give(found[0]);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("exit", () => fail(new Error(`assay ended: ${text}`)));
  });
  const ended = new Promise((give) => child.on("exit", (code, signal) => give(signal || code)));
  return { url, ended, child, said: () => text, end: () => (child.kill("SIGINT"), ended) };
}

export const texts = (page, selector) => page.$$eval(selector, (all) => all.map((e) => e.textContent.trim()));
export const textOf = (page, selector) => page.$eval(selector, (e) => e.textContent.trim());
export const sleep = (ms) => new Promise((give) => setTimeout(give, ms));

/* Wait until @holds gives something true, for as long as a busy machine takes. */
export async function until(holds, ms = PATIENCE) {
  const end = Date.now() + ms;
  for (;;) {
    const got = await holds();
    if (got || Date.now() > end) return got;
    await sleep(50);
  }
}
