// SPDX-License-Identifier: BSD-3-Clause
/* Who may ask the server what; labels and names that would be something else. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";

import { assay, check, checkQuiet, openPage, serve, textOf, texts, tmp, until } from "./harness.mjs";
import { HOSTILE, makeTasks, taskXml } from "./make.mjs";

/* Paths as they are: a browser or fetch() would clean them up. */
function ask(url, path, { method = "GET", headers = {}, body } = {}) {
  const { hostname, port } = new URL(url);

  return new Promise((give, fail) => {
    const r = request({ hostname, port, path, method, headers }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += chunk));
      answer.on("end", () => give({ status: answer.statusCode, text, headers: answer.headers }));
    });
    r.on("error", fail);
    r.end(body);
  });
}

async function testPaths(url) {
  const word = new URL(url).pathname;
  const secret = /root:|secret of/;

  for (const path of ["/", "/data", "/source/0", "/rows/0/0", word.slice(0, -2) + "/", `/${"0".repeat(32)}/`]) {
    const got = await ask(url, path);
    check(`${path} without the word is refused`, got.status === 403 && got.text === "", got.status);
  }
  for (const path of [
    "source/../../../../../../etc/passwd",
    "source//etc/passwd",
    "source/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "source/0/../../etc/passwd",
    "/etc/passwd",
    "../etc/passwd",
    "source/-1",
    "source/99",
    "source/0x0",
    "source/18446744073709551616",
    "rows/0",
    "rows/0/0/0",
    "rows/9/9",
    "profile/0",
    "passwd.c",
  ]) {
    const got = await ask(url, word + path);
    check(`${path} gives nothing`, got.status === 404 && !secret.test(got.text), got);
  }
  const good = await ask(url, `${word}source/0`);
  check("a source that is named is read", good.status === 200 && good.text.includes("int main"), good);
  for (const i of [1, 2, 3, 4]) {
    const got = await ask(url, `${word}source/${i}`);
    check(`source ${i} is no source`, got.status === 200 && JSON.parse(got.text).text === null && !secret.test(got.text), got);
  }
  const evil = await ask(url, word, { headers: { Host: "evil.example" } });
  check("another host's name is refused", evil.status === 403);
  const posted = await ask(url, `${word}patch`, { method: "POST", headers: { Origin: "http://evil.example" }, body: "--- a/x\n" });
  check("another origin cannot post", posted.status === 403);
  const odd = await ask(url, `${word}patch`, { method: "POST", body: "#!/bin/sh\n" });
  check("only patches are written", odd.status === 400, odd);
  const large = await ask(url, `${word}patch`, { method: "POST", body: `--- a/x${"x".repeat(2 << 20)}` }).catch(() => ({ status: 413 }));
  check("and not large ones", large.status === 413, large.status);
  const page = await ask(url, word);
  check("the policy forbids other places", /default-src 'none'/.test(page.headers["content-security-policy"]));
}

/* A served page: rows and sources come when they are needed; patches. */
async function testServed(browser) {
  const folder = join(tmp, "served");

  mkdirSync(folder);
  writeFileSync(join(folder, "demo.c"), "int main(void)\n{\n\treturn 0;\n}\n".padEnd(200, "\n"));
  writeFileSync(join(folder, "secret"), "secret of mine\n");
  symlinkSync("/etc/passwd", join(folder, "passwd.c"));
  symlinkSync("secret", join(folder, "alias.c"));
  const files = ["demo.c", "passwd.c", "/etc/passwd", "../../../../etc/passwd", "alias.c"];
  const paths = files.map((file, task) => {
    const path = join(folder, `t${task}.xml`);
    writeFileSync(path, taskXml({ task, sections: 1, metrics: 1, file, label: () => `in ${file}` }));
    return path;
  });
  const server = await serve(["view", "--no-open", ...paths], { cwd: folder });
  await testPaths(server.url);
  const page = await openPage(browser, server.url);
  await page.click(".sections tbody tr:has-text('in demo.c')");
  await page.waitForSelector(".line code");
  check("a served source is shown", (await texts(page, ".line code"))[0] === "int main(void)");
  await page.keyboard.press("m");
  await page.selectOption(".metrics label:has-text('show') select", "rows");
  await page.waitForSelector(".grid.rows tbody tr");
  check("rows are asked for when needed", page.asked.some((u) => u.endsWith("rows/0/0")));
  await page.click("#tab-source");
  await page.waitForSelector(".line code");
  await page.click(".source-pane button:has-text('Count lines')");
  await page.click("dialog >> text=Write to a file");
  await until(async () => (await textOf(page, ".said")).includes("written"));
  check("a patch is written where the command runs", readdirSync(folder).includes("assay-section-1.patch"), readdirSync(folder));
  check("and not to the source", !readFileSync(join(folder, "demo.c"), "utf8").includes("hpm"));
  checkQuiet("served", page, server.url);
  await page.close();
  check("Ctrl-C ends it", (await server.end()) === 0);
  check("the tunnel is told", server.said().includes("ssh -L"));
}

async function testHostile(browser) {
  const out = join(tmp, "hostile.html");
  const paths = makeTasks(join(tmp, "hostile"), 2, { sections: 3, metrics: 1, label: () => HOSTILE, file: `${HOSTILE}.c` });

  execFileSync(assay, ["view", "-q", "--html", out, ...paths]);
  const page = await openPage(browser, `file://${out}`);
  check("a hostile label is text", (await texts(page, ".sections .name button"))[0] === HOSTILE);
  for (const tab of ["source", "metrics", "about"]) {
    await page.click(`#tab-${tab}`);
    await page.waitForSelector(".panel > *");
  }
  check("and nothing of it ran", !(await page.evaluate(() => window.pwned)));
  checkQuiet("hostile", page, "file://");
  await page.close();
}

/* Files that are none, or too large. */
function testRefused() {
  const refuse = (name, text, pattern) => {
    const path = join(tmp, name);
    writeFileSync(path, text);
    const got = spawnSync(assay, ["view", "--html", join(tmp, "no.html"), path], { encoding: "utf8" });
    check(`${name} is refused with a sentence`, got.status === 125 && pattern.test(got.stderr), [got.status, got.stderr]);
  };

  refuse("cut.xml", taskXml({ task: 0, sections: 2, metrics: 1 }).slice(0, 400), /cut\.xml:\d+: /);
  refuse("bomb.xml", '<!DOCTYPE a [<!ENTITY b "c">]><hpm version="1"/>', /bomb\.xml/);
  refuse("odd.json", '{"assay_profile": 1, "events": 7}', /odd\.json/);
  refuse("empty.xml", "", /empty\.xml/);
  const huge = join(tmp, "huge.xml");
  spawnSync("truncate", ["-s", "600M", huge]);
  const got = spawnSync(assay, ["view", "--html", join(tmp, "no.html"), huge], { encoding: "utf8" });
  check("an oversized file is refused", got.status === 125 && /is larger than/.test(got.stderr), [got.status, got.stderr]);
}

export async function testSecurity(browser) {
  testRefused();
  await testHostile(browser);
  await testServed(browser);
}
