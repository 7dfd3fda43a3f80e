// SPDX-License-Identifier: BSD-3-Clause
/*
 * assay live for minutes: memory of server and page, updates, and how long a
 * change takes to be seen. usage: node bench/live.mjs SOURCE BUILD TMP [SECONDS]
 * (TMP holds the program phases, as tests/browser/run.sh builds it)
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { openBrowser, openPage, serve, sleep, tmp } from "../tests/browser/harness.mjs";

const seconds = Number(process.argv[5] || 600);
const browser = await openBrowser();
const server = await serve(["live", "--no-open", "--pmu", "none", "-e", "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES", "--", join(tmp, "phases"), String(seconds + 60)], { cwd: tmp });
const page = await openPage(browser, server.url);
const session = await page.context().newCDPSession(page);

function rss() {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))[1]);
}

async function heap() {
  await session.send("HeapProfiler.collectGarbage");
  return Math.round((await session.send("Runtime.getHeapUsage")).usedSize / 1024);
}

async function look(at) {
  const last = await page.evaluate(() => window.assayStream.last + 1);
  console.log(`${String(at).padStart(4)} s: server RSS ${rss()} kB, page heap ${await heap()} kB, ${last} samples`);
}

/* From a sample's time to its being drawn: both clocks began together. */
async function delay() {
  return page.evaluate(
    () =>
      new Promise((give) => {
        const stream = window.assayStream;
        const old = stream.take.bind(stream);
        const gaps = [];
        let last = performance.now();
        stream.take = (message) => {
          old(message);
          const now = performance.now();
          gaps.push(now - last);
          last = now;
          if (gaps.length === 100) {
            stream.take = old;
            gaps.sort((a, b) => a - b);
            give({ median: gaps[50], worst: gaps[99] });
          }
        };
      }),
  );
}

await page.waitForSelector(".strip");
await sleep(5000);
console.log("milliseconds between updates:", await delay());
for (let at = 0; at <= seconds; at += 60) {
  await look(at);
  if (at < seconds) await sleep(60000);
}
console.log("complaints:", page.complaints.length);
await browser.close();
server.child.kill("SIGTERM"); /* is passed on to the program */
await sleep(500);
server.child.kill("SIGINT");
await server.ended;
