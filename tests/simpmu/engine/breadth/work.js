// SPDX-License-Identifier: BSD-3-Clause
// Compiled code that is thrown away when types change, promises, workers,
// regular expressions, a typed array, a started program.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { execFileSync } = require('child_process');

function add(a, b) {
  return a + b;
}

function changeTypes() {
  let n = 0;
  for (let i = 0; i < 300000; i++) n = add(n, i) % 1000003;
  let s = '';
  for (let i = 0; i < 1000; i++) s = add(s, i % 10);
  const f = new Float64Array(10000).map((_, i) => Math.sqrt(i));
  return [n, s.replace(/1[2-4]/g, '-').length, f.reduce((a, b) => a + b).toFixed(3)];
}

if (isMainThread) {
  const workers = [1, 2, 3].map((n) => new Promise((done) => {
    new Worker(__filename, { workerData: n }).on('message', done);
  }));
  Promise.all(workers).then((sums) => {
    console.log(changeTypes().join(' '), sums.join(' '));
    console.log(execFileSync('echo', ['child']).toString().trim());
  });
} else {
  let sum = 0;
  for (let i = 0; i < 200000; i++) sum = (sum * 7 + i * workerData) % 65521;
  parentPort.postMessage(sum);
}
