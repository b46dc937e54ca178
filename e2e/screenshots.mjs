// Pictures of every page: ko/en × light/dark × wide/phone, at the fixtures' moment, into docs/screenshots/.
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";

import { openPage, startBrowser } from "./support/browser.mjs";
import { startMonitor } from "./support/monitor.mjs";
import { idle, titledSession } from "./support/verbs.mjs";

const out = process.env.TASK_HUB_SCREENSHOTS ?? path.join(import.meta.dirname, "../docs/screenshots");
const only = process.argv[2];
const widths = [
  { name: "1440", width: 1440, height: 1000 },
  { name: "390", width: 390, height: 844 },
];

const monitor = await startMonitor();
const browser = await startBrowser();
let failed = 0;
try {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const detail = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`);
  const thread = [...detail.threads].sort((a, b) => b.messageCount - a.messageCount)[0];
  const spawned = await sessionWithDelegations(monitor);
  const id = encodeURIComponent;
  const pages = {
    home: "/",
    sessions: "/all",
    category: "/all?group=category",
    session: `/s/${id(session.workSessionId)}`,
    thread: `/s/${id(session.workSessionId)}/t/${id(thread.threadId)}`,
    events: "/events",
    delegations: `/events?session=${id(spawned.workSessionId)}`,
    tasks: "/tasks",
  };
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  for (const [name, address] of Object.entries(pages)) {
    if (only && name !== only) continue;
    for (const language of ["ko", "en"]) {
      for (const theme of ["light", "dark"]) {
        for (const size of widths) {
          const page = await openPage(browser, monitor.url + address, { ...size, language, theme });
          await idle(page);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          if (wide > 0) {
            console.error(`${name} ${language} ${theme} ${size.name}: ${wide} px wider than the window`);
            failed += 1;
          }
          const file = `${name}-${language}-${theme}-${size.name}.png`;
          await page.screenshot({ path: path.join(out, file), animations: "disabled" });
          await page.context().close();
          console.log(file);
        }
      }
    }
  }
} finally {
  await browser.close();
  await monitor.stop();
}
if (failed) process.exit(1);

/** A session whose delegation tree is worth a picture. */
async function sessionWithDelegations(monitor) {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=200");
  return sessions.reduce((best, session) => (session.delegationCount > best.delegationCount ? session : best));
}
