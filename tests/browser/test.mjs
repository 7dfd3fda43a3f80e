// SPDX-License-Identifier: BSD-3-Clause
/* Every view opens, does what it is for, and complains of nothing. */
import { finish, openBrowser } from "./harness.mjs";
import { testLarge } from "./large.mjs";
import { testLive } from "./live.mjs";
import { testPages } from "./pages.mjs";
import { testProfile } from "./profile.mjs";
import { testReport } from "./report.mjs";
import { testSections } from "./sections.mjs";
import { testSecurity } from "./security.mjs";
import { testSleep } from "./sleep.mjs";

const browser = await openBrowser();
const tests = { testSections, testProfile, testReport, testPages, testSecurity, testLive, testSleep, testLarge };
const wanted = (process.env.ASSAY_BROWSER_TESTS || "").split(",").filter(Boolean);

for (const [name, test] of Object.entries(tests))
  if (wanted.length === 0 || wanted.includes(name)) {
    const began = Date.now();
    await test(browser);
    console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  }
await browser.close();
process.exit(finish());
