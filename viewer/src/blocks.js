// SPDX-License-Identifier: BSD-3-Clause
/*
 * Where data comes from: blocks in the page itself, or, when the page is
 * served, the server, whose address has the token in it. Either way a block is
 * read when it is needed and kept.
 */
const element = document.getElementById("data");

export function documentKind() {
  return element ? element.dataset.kind : "";
}

export function documentData() {
  return JSON.parse(element.textContent);
}

export const isServed = () => location.protocol.startsWith("http");

const kept = new Map();

async function read(name) {
  const block = document.getElementById(name);

  if (block) return JSON.parse(block.textContent);
  if (!isServed()) throw new Error("the page does not contain this data");
  const answer = await fetch(name.replaceAll("-", "/"));
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
}

/* "rows-0-3", "source-1", "profile-0": a promise of what it holds. */
export function readBlock(name) {
  if (!kept.has(name)) {
    const promise = read(name);
    promise.catch(() => kept.delete(name)); /* may be asked for again */
    kept.set(name, promise);
  }
  return kept.get(name);
}

/* Hand @text to the server to be written to a file of its choice. */
export async function sendPatch(text) {
  const answer = await fetch("patch", { method: "POST", body: text });

  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
}
