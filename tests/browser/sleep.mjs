// SPDX-License-Identifier: BSD-3-Clause
/*
 * A browser that sleeps while the program runs on: stopped, as behind a closed
 * lid, and behind a wire that went dead without a word.
 * Each sleep lasts as long as a witness needs to see so many samples go by, so
 * that no step depends on how fast the machine is.
 */
import { readFileSync, readdirSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";

import { check, openBrowser, openPage, picture, serve, textOf, texts, tmp, until } from "./harness.mjs";

const SLEPT = 100; /* samples that go by in a sleep */

/* Between browser and server: a line may go deaf and yet stay open. */
function proxyTo(port) {
  const lines = [];
  const server = createServer((from) => {
    const to = connect(port, "127.0.0.1");
    const line = { deaf: false };
    for (const [a, b] of [[from, to], [to, from]]) {
      a.on("data", (data) => line.deaf || b.write(data));
      a.on("error", () => b.destroy());
      a.on("close", () => b.destroy());
    }
    lines.push(line);
  });
  server.deafen = () => lines.forEach((line) => (line.deaf = true));
  return new Promise((give) => server.listen(0, "127.0.0.1", () => give(server)));
}

/* Another reader of the stream, which never sleeps. */
function witness(url) {
  const stop = new AbortController();
  const w = { samples: 0, stop: () => stop.abort() };
  const read = async () => {
    let text = "";
    for await (const chunk of (await fetch(`${url}stream`, { signal: stop.signal })).body) {
      text += Buffer.from(chunk).toString();
      const end = text.lastIndexOf("\n\n") + 2;
      for (const [, id] of text.slice(0, end).matchAll(/^id: (\d+)$/gm)) w.samples = Number(id) + 1;
      text = text.slice(end);
    }
  };
  read().catch(() => {});
  return w;
}

const samples = (page) => page.evaluate(() => window.assayStream.last + 1);
const residentKb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);

/* All that the server had is there, once each, and it goes on. */
async function checkWhole(what, page, w) {
  const target = w.samples;
  await until(async () => (await samples(page)) >= target + 10);
  const { times, last } = await page.evaluate(() => ({
    times: Array.from(window.assayStream.data.view(0)),
    last: window.assayStream.last,
  }));
  check(`${what}: it catches up and goes on`, last + 1 >= target + 10, [last, target]);
  check(`${what}: no sample is missing`, times.length === last + 1, [times.length, last + 1]);
  check(`${what}: they are in order`, times.every((t, i) => i === 0 || t > times[i - 1]));
  await until(async () => (await textOf(page, "[role=status]")).includes("running"));
  check(`${what}: it says that it runs`, (await textOf(page, "[role=status]")).includes("running"));
}

/* The state and the parent of process @pid, if it is there. */
function statOf(pid) {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
}

/* The processes of the browser that has this profile. */
function browserProcesses(profile) {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number);
  const ours = new Set();
  for (const pid of all) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`--user-data-dir=${profile}`)) ours.add(pid);
    } catch {
      /* it has ended */
    }
  }
  for (let before = -1; before !== ours.size; ) {
    before = ours.size;
    for (const pid of all) if (ours.has(statOf(pid)?.parent)) ours.add(pid);
  }
  return [...ours];
}

/* As a closed lid does it: nothing of the browser runs, and the line is up. */
async function testStopped(page, profile, server, w) {
  const pids = browserProcesses(profile);
  const before = residentKb(server.child.pid);
  const tell = (signal) => pids.forEach((pid) => statOf(pid) && process.kill(pid, signal));

  tell("SIGSTOP");
  const target = w.samples + SLEPT;
  await until(() => w.samples >= target);
  const states = pids.map((pid) => statOf(pid)?.state).filter((state) => state && state !== "Z");
  const grown = residentKb(server.child.pid) - before;
  tell("SIGCONT");
  check("stopped: the browser slept", states.length > 1 && states.every((s) => s === "T"), states);
  check("stopped: the server keeps nothing for it", grown < 4096, grown);
  await checkWhole("stopped", page, w);
}

async function testDeadWire(page, proxy, w) {
  await page.evaluate(() => (window.assayStream.patience = 1));
  proxy.deafen();
  const asleep = await samples(page);
  await until(() => w.samples >= asleep + SLEPT);
  await checkWhole("dead wire", page, w);
}

/* A peak among samples that are made up: it flattens the rest unless it is cut. */
async function testPeak(page) {
  const told = async () => (await texts(page, ".strip p")).filter((text) => text === "peaks cut; the highest is 1 G").length;

  await page.evaluate(() => {
    const s = window.assayStream;
    s.close();
    const time = s.data.view(0)[s.data.length - 1];
    const samples = Array.from({ length: 400 }, (_, i) => [time + (i + 1) / 100, i === 200 ? [1e9, 1e9] : [100, 100], [], 0]);
    s.take({ first: s.last + 1, samples });
  });
  check("peaks are there", (await told()) === 0);
  await page.keyboard.press("p");
  await until(async () => (await told()) === 2);
  check("peaks can be cut", (await told()) === 2, await texts(page, ".strip p"));
  await page.keyboard.press("p");
  await until(async () => (await told()) === 0);
  check("and be there again", (await told()) === 0);
}

/* Longer than the server remembers: the plot shows that something is missing. */
async function testGap(page) {
  const [added, empty] = await page.evaluate(() => {
    const s = window.assayStream;
    s.listen = () => {};
    const before = s.data.length;
    const time = s.data.view(0)[before - 1];
    s.take({ first: s.last + 1000, samples: [[time + 100, [1, 2], [], 0]] });
    return [s.data.length - before, Number.isNaN(s.data.view(1)[before])];
  });
  check("what the server forgot is a gap", added === 2 && empty, [added, empty]);
}

export async function testSleep() {
  const profile = join(tmp, "sleeper");
  const browser = await openBrowser({}, profile);
  const server = await serve(["live", "--no-open", "--pmu", "none", "-I", "20", "-e", "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES", "--", join(tmp, "phases"), join(tmp, "never")], { cwd: tmp });
  const there = new URL(server.url);
  const proxy = await proxyTo(there.port);
  const page = await openPage(browser, `http://127.0.0.1:${proxy.address().port}${there.pathname}`);
  const w = witness(server.url);

  await page.waitForSelector(".strip");
  await until(async () => (await samples(page)) > 10 && w.samples > 10);
  await testStopped(page, profile, server, w);
  await testDeadWire(page, proxy, w);
  await picture(page, "live-after-sleep");
  await testPeak(page);
  await testGap(page);
  check("sleep: no console error", page.complaints.length === 0, page.complaints);
  await browser.close();
  w.stop();
  proxy.close();
  server.child.kill("SIGTERM"); /* is passed on to the program */
  await until(() => server.said().includes("ended"), 2000);
  server.child.kill("SIGINT");
  await server.ended;
}
