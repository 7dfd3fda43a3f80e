// SPDX-License-Identifier: BSD-3-Clause
/* The page: which view it is, is written beside its data. */
import { render } from "preact";

import { documentKind, documentData } from "./blocks.js";
import { LivePage } from "./live/page.jsx";
import { ReportPage } from "./report/page.jsx";
import { SectionsPage } from "./sections/page.jsx";
import { Fault } from "./ui.jsx";

const pages = {
  sections: SectionsPage,
  report: ReportPage,
  live: LivePage,
};

function draw() {
  const root = document.getElementById("app");
  const Page = pages[documentKind()];

  root.textContent = "";
  if (!Page) {
    render(<Fault text="This page contains no data that it can show." />, root);
    return;
  }
  render(<Page data={documentData()} />, root);
}

draw();
