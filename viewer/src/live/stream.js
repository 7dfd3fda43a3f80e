// SPDX-License-Identifier: BSD-3-Clause
/*
 * What comes from the program: kept in arrays of a fixed size, so that a page
 * that is open for days needs no more memory than one that is open for ten
 * minutes.
 */
const MOST_MARKS = 2000;
const AGAIN_MS = 2000;
const TICK_MS = 1000;
const PATIENCE = 5; /* ticks without a word */

/* Columns of numbers, the newest last. Old ones leave in blocks: the arrays
 * are twice as long as what is kept, and moved when they are full. */
export class Columns {
  constructor(n, room) {
    this.room = room;
    this.columns = Array.from({ length: n }, () => new Float64Array(2 * room));
    this.start = 0;
    this.end = 0;
  }

  add(values) {
    if (this.end === 2 * this.room) {
      for (const column of this.columns) column.copyWithin(0, this.end - this.room, this.end);
      this.start = 0;
      this.end = this.room;
    }
    for (let i = 0; i < this.columns.length; i++) {
      const value = values[i];
      this.columns[i][this.end] = value === null || value === undefined ? NaN : value;
    }
    this.end++;
    this.start = Math.max(this.start, this.end - this.room);
  }

  get length() {
    return this.end - this.start;
  }

  /* A view of column @i, not a copy; NaN is no value. */
  view(i) {
    return this.columns[i].subarray(this.start, this.end);
  }
}

export class Stream {
  constructor(listen) {
    this.listen = listen; /* called when something has changed */
    this.state = "connecting";
    this.head = null;
    this.times = null;
    this.marks = [];
    this.lostMarks = 0;
    this.last = -1;
    this.exit = null;
    this.silent = 0;
    this.patience = PATIENCE;
    this.open();
    this.ticking = setInterval(() => this.tick(), TICK_MS);
  }

  /*
   * Samples come all the time. After a sleep, or behind a tunnel that broke, a
   * connection may look open and be dead: then a new one is made. It is ticks
   * that count and not time, because none comes while the browser sleeps.
   */
  tick() {
    if (!this.head || this.exit !== null || ++this.silent <= this.patience) return;
    clearTimeout(this.again);
    this.source.close();
    this.become("lost");
    this.open();
  }

  open() {
    const source = new EventSource(this.last < 0 ? "stream" : `stream/${this.last}`);

    this.source = source;
    this.silent = 0;
    source.onopen = () => this.become("live");
    source.onerror = () => {
      if (this.exit !== null) return;
      this.become("lost");
      /* a browser gives up on some errors: then it is for us to ask again */
      if (source.readyState === EventSource.CLOSED) this.again = setTimeout(() => this.open(), AGAIN_MS);
    };
    source.addEventListener("series", (event) => this.describe(JSON.parse(event.data)));
    source.addEventListener("samples", (event) => this.take(JSON.parse(event.data)));
    source.addEventListener("ended", (event) => {
      this.exit = JSON.parse(event.data).exit;
      this.close();
      this.become("ended");
    });
  }

  become(state) {
    this.state = state;
    this.listen();
  }

  describe(head) {
    if (!this.head || this.head.series.length !== head.series.length) {
      this.head = head;
      this.data = new Columns(1 + head.series.length, head.room);
    }
    this.patience = Math.max(PATIENCE, Math.ceil((20 * head.every * 1000) / TICK_MS));
    this.listen();
  }

  /* Who was away for longer than the server remembers sees that something is missing. */
  leaveGap(first, time) {
    if (this.last < 0 || first <= this.last + 1) return;
    const before = this.data.view(0)[this.data.length - 1];
    this.data.add([(before + time) / 2]);
  }

  take({ first, samples }) {
    this.silent = 0;
    if (samples.length > 0) this.leaveGap(first, samples[0][0]);
    samples.forEach(([time, values, marks, lost], i) => {
      if (first + i <= this.last) return; /* was here before */
      this.last = first + i;
      this.data.add([time, ...values]);
      this.lostMarks += lost;
      for (const [at, begins, number, word] of marks) this.marks.push({ x: at, begins: begins === 1, number, word });
    });
    if (this.marks.length > MOST_MARKS) this.marks.splice(0, this.marks.length - MOST_MARKS);
    this.listen();
  }

  close() {
    clearInterval(this.ticking);
    clearTimeout(this.again);
    this.source.close();
  }
}

export function toCsv(stream) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const names = ["time_s", ...stream.head.series.map((s) => (s.unit ? `${s.name} [${s.unit}]` : s.name))];
  const columns = names.map((_, i) => stream.data.view(i));
  const lines = [names.map(quoted).join(",")];

  for (let i = 0; i < stream.data.length; i++)
    lines.push(columns.map((c) => (Number.isNaN(c[i]) ? "" : c[i])).join(","));
  return lines.join("\r\n") + "\r\n";
}

export function toJson(stream) {
  const { title, every, simulated, series } = stream.head;
  const column = (i) => Array.from(stream.data.view(i), (v) => (Number.isNaN(v) ? null : v));

  return JSON.stringify({
    title,
    every,
    simulated,
    exit: stream.exit,
    time_s: column(0),
    series: series.map((s, i) => ({ ...s, values: column(i + 1) })),
    marks: stream.marks,
  });
}
