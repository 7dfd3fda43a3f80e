// SPDX-License-Identifier: BSD-3-Clause
/*
 * Make one page of the viewer's sources: bundle.mjs WORK OUTPUT
 *
 * Script and style stand in the page itself, named by their hashes in its
 * content security policy: nothing else can run in it, and nothing is loaded
 * from anywhere. The marks @TITLE@, @CONNECT@ and @DATA@ are filled in by
 * src/write/html.c.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [work, output] = process.argv.slice(2).map((path) => resolve(path));
const here = fileURLToPath(new URL(".", import.meta.url));
const esbuild = createRequire(join(work, "package.json"))("esbuild");
const packages = ["preact", "uplot", "highlight.js"];

async function bundle(entry) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(here, "src", entry)],
    nodePaths: [join(work, "node_modules")],
    outdir: "/",
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
  });
  return outputFiles[0].text.trim();
}

const hash = (text) =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/* The licences ask that their text goes with every copy. */
function licences() {
  return packages
    .map((name) => {
      const folder = join(work, "node_modules", name);
      const text = readFileSync(join(folder, "LICENSE"), "utf8");
      return `${name}\n\n${text.trim()}`.replaceAll("--", "- -");
    })
    .join("\n\n\n");
}

const script = await bundle("main.jsx");
const style = await bundle("style.css");
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "connect-src @CONNECT@",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ");

writeFileSync(
  output,
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>@TITLE@</title>
<style>${style}</style>
</head>
<body>
<div id="app"><noscript>This page draws itself with JavaScript.</noscript></div>
@DATA@
<script>${script}</script>
</body>
</html>
<!-- This page contains:

${licences()}
-->
`,
);
