// SPDX-License-Identifier: BSD-3-Clause
/* Source text as highlighted lines of HTML. */
import hljs from "highlight.js/lib/core";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import fortran from "highlight.js/lib/languages/fortran";
import python from "highlight.js/lib/languages/python";

hljs.registerLanguage("c", c);
hljs.registerLanguage("cpp", cpp);
hljs.registerLanguage("fortran", fortran);
hljs.registerLanguage("python", python);

const LARGEST = 400000; /* characters; larger ones are shown plain */

const languages = [
  ["fortran", /\.(f|for|ftn|f77|f90|f95|f03|f08|fpp)$/i],
  ["cpp", /\.(cc|cpp|cxx|c\+\+|cu|hh|hpp|hxx|inl)$/i],
  ["python", /\.py$/i],
  ["c", /\.(c|h|inc|ispc|rs|go|jl)$/i],
];

export function languageOf(name) {
  return languages.find(([, pattern]) => pattern.test(name))?.[0] || null;
}

const plain = (text) => text.replace(/[&<>]/g, (x) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[x]);

/* Spans that reach over line ends are closed and opened again. */
function splitLines(html) {
  const lines = [];
  let open = [];

  for (const line of html.split("\n")) {
    const head = open.join("");
    for (const tag of line.match(/<span[^>]*>|<\/span>/g) || [])
      if (tag === "</span>") open.pop();
      else open.push(tag);
    lines.push(head + line + "</span>".repeat(open.length));
  }
  return lines;
}

export function highlight(text, name) {
  const language = languageOf(name);
  const even = text.replaceAll("\r\n", "\n").replace(/\n$/, "");

  if (!language || even.length > LARGEST) return splitLines(plain(even));
  return splitLines(hljs.highlight(even, { language, ignoreIllegals: true }).value);
}
