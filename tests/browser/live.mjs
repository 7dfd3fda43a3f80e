// SPDX-License-Identifier: BSD-3-Clause
/* A running program: its metrics, its sections, a lost connection, its end. */
import { connect, createServer } from "node:net";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { check, checkAccess, openPage, picture, serve, sleep, source, textOf, texts, tmp, until } from "./harness.mjs";
import { checkLooks } from "./pages.mjs";

/* Between browser and server, to cut the wire. */
function proxyTo(port) {
  const sockets = new Set();
  const server = createServer((from) => {
    if (server.refuses) {
      from.destroy();
      return;
    }
    const to = connect(port, "127.0.0.1");
    for (const [a, b] of [[from, to], [to, from]]) {
      sockets.add(a);
      a.pipe(b);
      a.on("error", () => b.destroy());
      a.on("close", () => (sockets.delete(a), b.destroy()));
    }
  });
  server.cut = () => sockets.forEach((s) => s.destroy());
  return new Promise((give) => server.listen(0, "127.0.0.1", () => give(server)));
}

const length = (page) => page.evaluate(() => window.assayStream?.data?.length || 0);

async function testExport(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=CSV")]);
  const path = join(tmp, "live.csv");
  await download.saveAs(path);
  const lines = readFileSync(path, "utf8").trim().split("\r\n");
  check("what was seen can be exported", lines[0].startsWith("time_s,") && lines.length > 5, lines.slice(0, 2));
}

async function testZoom(page) {
  const box = await (await page.$(".strip .u-over")).boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await until(() => page.isEnabled("button:has-text('Whole')"));
  check("a stretch of time can be looked at", await page.isEnabled("button:has-text('Whole')"));
  await page.click("button:has-text('Whole')");
  check("and left again", await until(async () => !(await page.isEnabled("button:has-text('Whole')"))));
}

export async function testLive(browser) {
  const over = join(tmp, "over");
  const server = await serve(["live", "--no-open", "--pmu", "none", "-e", "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES", "--", join(tmp, "phases"), over], { cwd: tmp });
  const there = new URL(server.url);
  const proxy = await proxyTo(there.port);
  const url = `http://127.0.0.1:${proxy.address().port}${there.pathname}`;
  const page = await openPage(browser, url);

  await page.waitForSelector(".strip");
  check("one strip for each event", (await texts(page, ".strip h2")).join() === "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES", await texts(page, ".strip h2"));
  check("it runs", await until(async () => (await textOf(page, "[role=status]")).includes("running")));
  await until(async () => (await length(page)) > 12);
  const marks = () => page.evaluate(() => window.assayStream.marks.map((m) => m.word));
  check("sections are marked", (await until(async () => (await marks()).includes("touch memory") && (await marks()).includes("rest"))), await marks());
  await picture(page, "live-1280-light");
  await checkAccess("live", page);
  await testExport(page);
  await testZoom(page);
  await page.keyboard.press(" ");
  check("it can be paused", await until(async () => (await textOf(page, "[role=status]")).includes("paused")));
  await page.keyboard.press(" ");

  proxy.refuses = true;
  proxy.cut();
  await until(async () => (await textOf(page, "[role=status]")).includes("lost"));
  check("a lost connection is told", (await textOf(page, "[role=status]")).includes("lost"));
  const before = await length(page);
  await sleep(500);
  proxy.refuses = false;
  await until(async () => (await length(page)) > before + 5);
  const { times, last } = await page.evaluate(() => ({
    times: Array.from(window.assayStream.data.view(0)),
    last: window.assayStream.last,
  }));
  check("and made up for", times.length > before + 5 && times.every((t, i) => i === 0 || t > times[i - 1]), times.length);
  check("without a gap", last === times.length - 1, [last, times.length]);

  const metrics = await (await fetch(`${server.url}metrics`)).text();
  check("Prometheus is answered", /^assay_events_total\{program="[^"]*",event="perf::PAGE-FAULTS"\} \d+$/m.test(metrics) && metrics.endsWith("# EOF\n"), metrics);
  const board = JSON.parse(readFileSync(join(source, "share/grafana/assay-live.json"), "utf8"));
  const asked = board.panels.flatMap((p) => p.targets.map((t) => /assay_[a-z]+/.exec(t.expr)[0]));
  check("Grafana's dashboard asks for what is there", asked.every((name) => metrics.includes(`# TYPE ${name.replace(/_total$/, "")} `) || name === "assay_events"), asked);
  check("but not without the word", (await fetch(`${there.origin}/metrics`)).status === 403);
  writeFileSync(over, "");
  await until(async () => (await textOf(page, "[role=status]")).includes("ended"));
  check("its end is told, and the page stays", (await textOf(page, "[role=status]")).includes("ended with status 0"));
  await checkLooks("live", page, ["[role=status]", ".strip:first-of-type"]);
  const late = await openPage(browser, server.url);
  await until(async () => (await length(late)) === times.length || (await length(late)) > times.length);
  check("who comes late sees it all", (await length(late)) >= times.length);
  const strange = [...page.asked, ...late.asked].filter((u) => !u.startsWith("http://127.0.0.1:") && !u.startsWith("data:") && !u.startsWith("blob:"));
  check("live loads nothing from the network", strange.length === 0, strange);
  await page.close();
  await late.close();
  proxy.close();
  check("Ctrl-C ends it, with the program's status", (await server.end()) === 0);
}
