// SPDX-License-Identifier: BSD-3-Clause
/* Pictures of pages: draw.mjs SOURCE BUILD TMP PAGE[#STATE]=PICTURE ... */
import { openBrowser, openPage } from "./harness.mjs";

const SIZE = { width: 1280, height: 800 };
const browser = await openBrowser({ viewport: SIZE });

for (const job of process.argv.slice(5)) {
  const cut = job.lastIndexOf("=");
  const page = await openPage(browser, `file://${job.slice(0, cut)}`);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(500); /* bars grow */
  await page.screenshot({ path: job.slice(cut + 1) });
  if (page.complaints.length) throw new Error(page.complaints.join("; "));
  await page.close();
}
await browser.close();
