// Browser tests of the fleet page, with mocked answers of the monitor that reads the fleet.
//
// Proves (work): The fleet page shows each machine with its state in words, what waits on all of them and their newest
// sessions. Each row names its machine and leads to its dashboard below `@<name>/`, with the names of that machine's own
// agents. The chosen machine and the search are in the address. A failed refresh keeps what is shown and says since when
// it is old. Numbers that change leave unfolded details and the focus in place. A page of one machine asks for no fleet.
//
// Proves (fleet): Sessions, events, tasks, agents and drift of all machines are tabs with addresses. Rows name their machine
// and lead to it. A list says which machine it lacks. A stream of changes refreshes the page, and polling replaces it.
import { readFile } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";

import { allowProblems, expect, test } from "../support/test.mjs";
import { FIXTURE_NOW } from "../support/monitor.mjs";
import { connection, waitUntilLoaded } from "../support/steps.mjs";

const axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

test.use({ home: { story: "everything" } });

const source = (name, state, more = {}) => ({
  id: name.padEnd(32, "0"),
  name,
  state,
  lastSeen: FIXTURE_NOW - 3_000,
  clockAheadMs: 0,
  version: "2.4.0",
  text: "full",
  bytes: 1_234_567,
  bytesBehind: 0,
  holes: [],
  skipped: [],
  refused: 0,
  statusCounts: { active: 2, quiet: 3, archived: 1 },
  waiting: 1,
  agents: [],
  ...more,
});

/** Answers of the fleet, made of those of the monitor; tests change them before a request. */
async function fleetOf(monitor) {
  const home = await monitor.get("/api/v2/home");
  const { sessions } = await monitor.get("/api/v2/sessions?limit=4");
  const agents = (suffix) => home.agents.map((agent) => ({ ...agent, name: `${agent.name}${suffix}` }));
  const sources = [
    source("dajim-pc", "conflict"),
    source("eden-mini", "behind", { bytesBehind: 12_345, clockAheadMs: -300_000 }),
    source("miri-air", "silent", { lastSeen: FIXTURE_NOW - 125_000, text: "summary" }),
    source("ruda-box", "incomplete", { holes: [{ path: "logs/a.ndjson", from: 100, to: 4_300, knownFrom: FIXTURE_NOW - 86_400_000 }], skipped: [{ path: "notes.txt", cause: "not a log" }] }),
    source("seum-mac", "live", { agents: agents("하나"), categories: home.categories }),
    source("seum-mac-2", "live", { agents: agents("둘"), categories: home.categories }),
  ];
  const lines = home.attention.filter((line) => line.sessionId && line.agent).slice(0, 2);
  return {
    page: {
      name: "작업실",
      link: "connected",
      behind: 0,
      retention: { maxAgeMs: 90 * 86_400_000, maxBytes: 10_000_000_000, bytes: 1_234_567, firstTime: FIXTURE_NOW - 9 * 86_400_000 },
      sources,
      attention: lines.flatMap((line) => ["seum-mac", "seum-mac-2"].map((name) => ({ source: name, line }))),
      attentionMore: false,
      sessions: sessions.map((session, number) => ({ source: number % 2 ? "seum-mac-2" : "seum-mac", session })),
      now: FIXTURE_NOW,
    },
    found: { sources: [], now: FIXTURE_NOW },
    fails: false,
    searchFails: false,
    asked: [],
    rows: await rowsOf(monitor),
    starting: [],
    listFails: false,
    streams: undefined,
  };
}

/** Machines of the lists: each row of the monitor is on one of them. */
const LIST_MACHINES = ["seum-mac", "seum-mac-2"];
/** Routes of lists: the list of an answer, the field of a row, and the parameter that continues. */
const LISTS = {
  sessions: ["sessions", "session", "after"],
  events: ["events", "event", "before"],
  tasks: ["tasks", "task", "after"],
  agents: ["agents", "card", ""],
  drift: ["drifts", "drift", ""],
};

/** Rows of all lists. */
async function rowsOf(monitor) {
  const spread = (items) => items.map((item, number) => [LIST_MACHINES[number % 2], item]);
  const { sessions } = await monitor.get("/api/v2/sessions?limit=100");
  const { events } = await monitor.get("/api/v2/events?limit=120");
  const { tasks } = await monitor.get("/api/v2/tasks");
  const { agents } = await monitor.get("/api/v2/agents");
  const drift = await monitor.get("/api/v2/drift");
  return { sessions: spread(sessions), events: spread(events), tasks: spread(tasks), agents: spread(agents), drift: LIST_MACHINES.map((name) => [name, drift]) };
}

/** Answer to a list: what a monitor of a fleet does with its filters and paging. */
function listAnswer(fleet, url) {
  const route = url.pathname.split("/").at(-1);
  const [list, field, cursor] = LISTS[route];
  const wanted = (name) => url.searchParams.get(name) ?? "";
  const rows = fleet.rows[route]
    .filter(([source]) => !wanted("host") || source === wanted("host"))
    .filter(([, item]) => !wanted("status") || item.status === wanted("status"))
    .filter(([, item]) => !wanted("role") || item.role === wanted("role"))
    .filter(([, item]) => !wanted("category") || item.category.key === wanted("category"))
    .filter(([, item]) => !wanted("agent") || JSON.stringify(item).includes(`"${wanted("agent")}"`))
    .filter(([, item]) => JSON.stringify(item).includes(wanted("q")));
  const from = Number(wanted(cursor).split(".").at(-1) || 0);
  const until = cursor ? from + Number(wanted("limit")) : rows.length;
  const counts = new Map();
  for (const [, item] of rows) counts.set(item.status, (counts.get(item.status) ?? 0) + 1);
  return {
    [list]: rows.slice(from, until).map(([source, item]) => ({ source, [field]: item })),
    total: rows.length,
    ...(route === "tasks" ? { statusCounts: [...counts] } : {}),
    ...(until < rows.length ? { next: `seum-mac.${until}` } : {}),
    sources: fleet.page.sources
      .filter(({ name }) => !wanted("host") || name === wanted("host"))
      .map(({ name, state, agents }) => ({ source: name, total: 1, state, starting: fleet.starting.includes(name), agents })),
    now: FIXTURE_NOW,
  };
}

const failed = { status: 503, contentType: "application/json", body: JSON.stringify({ error: "no", code: "source_unavailable" }) };
const json = (value) => ({ contentType: "application/json", body: JSON.stringify(value) });

/** Serves the bundle as a fleet page whose requests `fleet` answers. */
async function serve(page, fleet) {
  page.on("request", (request) => {
    if (request.url().includes("/api/")) fleet.asked.push(new URL(request.url()).pathname);
  });
  await page.route((url) => ["/", "/all", "/events", "/tasks", "/agents", "/drift"].includes(url.pathname), async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    expect(text).toMatch(/name="?task-hub:fleet"? content(="")?/);
    await route.fulfill({ response: answer, body: text.replace(/name="?task-hub:fleet"? content(="")?/, 'name="task-hub:fleet" content="studio"') });
  });
  await page.route((url) => url.pathname.startsWith("/@"), (route) =>
    route.fulfill({ contentType: "text/html", body: `<title>other</title><h1>${decodeURIComponent(new URL(route.request().url()).pathname)}</h1>` }),
  );
  await page.route("**/api/v2/fleet", (route) => route.fulfill(fleet.fails ? failed : json(fleet.page)));
  await page.route(/\/api\/v2\/fleet\/(sessions|events|tasks|agents|drift)(\?|$)/, (route) => {
    const url = new URL(route.request().url());
    fleet.asked.push(`${url.pathname}${url.search}`);
    return route.fulfill(fleet.listFails ? failed : json(listAnswer(fleet, url)));
  });
  // Without a stream of its own a test has one that ends at once.
  await page.route("**/api/v2/fleet/live", (route) =>
    fleet.streams ? route.continue() : route.fulfill({ contentType: "text/event-stream", body: "event: heartbeat\ndata: {}\n\n" }),
  );
  await page.route("**/api/v2/fleet/search?*", (route) => route.fulfill(fleet.searchFails ? failed : json(fleet.found)));
}

/** A server before the monitor, of the page's own origin as the browser demands. It answers the stream of changes itself. */
async function startStreams(monitor) {
  const open = new Set();
  const server = createServer((request, response) => {
    if (request.url === "/api/v2/fleet/live") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: change\nid: 1\ndata: {}\n\n");
      open.add(response);
      response.on("close", () => open.delete(response));
      return;
    }
    // With the host that the browser named: the monitor compares it with the origin.
    const onward = httpRequest(new URL(request.url, monitor.url), { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    open,
    change(id) {
      for (const stream of open) stream.write(`event: change\nid: ${id}\ndata: {}\n\n`);
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const region = (page, name) => page.getByRole("region", { name, exact: true });
const machines = (page) => region(page, "기기").locator(".machine");
const machine = (page, name) => machines(page).filter({ has: page.getByRole("link", { name, exact: true }) });

test.describe("fleet page", () => {
  let fleet;
  test.beforeEach(async ({ page, monitor }) => {
    fleet = await fleetOf(monitor);
    await serve(page, fleet);
  });
  test.afterEach(() => fleet.streams?.stop());

  test("machines show their states in words and lead to their dashboards", { tag: "@quick" }, async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("작업실");
    await expect(page).toHaveTitle(/studio/);
    const states = { "dajim-pc": "ID 겹침", "eden-mini": "읽는 중", "miri-air": "소식 없음", "ruda-box": "일부 빠짐", "seum-mac": "최신" };
    for (const [name, state] of Object.entries(states)) {
      await expect(machine(page, name)).toContainText(state);
      await expect(machine(page, name)).toContainText("진행 중 2");
      await expect(machine(page, name)).toContainText("결정할 것 1건");
      await expect(machine(page, name).getByRole("link", { name, exact: true })).toHaveAttribute("href", `/@${name}/`);
    }
    const notices = page.getByRole("list", { name: "확인할 기기" }).getByRole("listitem");
    await expect(notices).toHaveText([
      /dajim-pc: 같은 ID를 쓰는 다른 기기가 있습니다/,
      /eden-mini: 12 KB 아직 안 읽음/,
      /miri-air: 2분째 소식 없음/,
      /ruda-box: 4.2 KB 빠짐/,
    ]);
    await page.keyboard.press("j");
    await expect(page.locator(".work-line [data-row]").first(), "what waits comes first").toBeFocused();
    await machine(page, "dajim-pc").getByRole("link").focus();
    await page.keyboard.press("j");
    await expect(machine(page, "eden-mini").getByRole("link"), "keys step through the rows").toBeFocused();
    await machine(page, "ruda-box").getByText("자세히").click();
    await expect(machine(page, "ruda-box")).toContainText("logs/a.ndjson · 100–4300 (4.2 KB) · 2026. 02. 20. 14:17:00부터 있음");
    await expect(machine(page, "ruda-box")).toContainText("notes.txt · not a log");
    await machine(page, "eden-mini").getByText("자세히").click();
    await expect(machine(page, "eden-mini")).toContainText("5분 느림");
    await expect(region(page, "기기")).toContainText(/서버의 기록 보관: 90일 동안 · 최대 10 GB · 저장된 기록 1.2 MB · .*\d일부터/);
    await machine(page, "seum-mac").getByRole("link", { name: "seum-mac", exact: true }).click();
    await expect(page.getByRole("heading"), "another page is loaded").toHaveText("/@seum-mac/");
    expect(fleet.asked.every((path) => path.startsWith("/api/v2/fleet")), `${fleet.asked}`).toBe(true);
  });

  test("rows of several machines name theirs and lead below it", async ({ page }) => {
    await page.goto("/");
    const [line] = fleet.page.attention;
    const first = page.locator(".work-line").filter({ hasText: /seum-mac(?!-)/ }).first();
    const second = page.locator(".work-line").filter({ hasText: "seum-mac-2" }).first();
    for (const [row, name] of [[first, "seum-mac"], [second, "seum-mac-2"]]) {
      for (const link of await row.getByRole("link").all()) {
        await expect(link).toHaveAttribute("href", new RegExp(`^/@${name}/`));
        await expect(link).toHaveAttribute("rel", "external");
      }
    }
    const name = (await (await page.request.get("/api/v2/home")).json()).agents.find((agent) => agent.id === line.line.agent)?.name;
    if (name) {
      await expect(first).not.toContainText(`${name}둘`);
      await expect(second).not.toContainText(`${name}하나`);
    }
    const cards = region(page, "최근 협업").getByRole("article");
    await expect(cards).toHaveCount(fleet.page.sessions.length);
    for (const link of await cards.getByRole("link").all()) {
      await expect(link).toHaveAttribute("href", /^\/@seum-mac(-2)?\/(s|agents)\//);
    }
    await expect(cards.first()).toContainText("seum-mac");
    const id = fleet.page.sessions[0].session.workSessionId;
    await cards.first().getByRole("heading").getByRole("link").click();
    await expect(page.getByRole("heading")).toHaveText(`/@seum-mac/s/${id}`);
    await page.goBack();
    await expect(cards.first()).toBeVisible();
  });

  test("a session that other machines have too names and leads to these", async ({ page }) => {
    const [row] = fleet.page.sessions;
    row.alsoOn = ["dajim-pc", "seum-mac-2"];
    await page.goto("/");
    const item = region(page, "최근 협업").getByRole("listitem").filter({ hasText: "다른 기기:" });
    await expect(item).toHaveCount(1);
    for (const name of row.alsoOn) {
      await expect(item.getByRole("link", { name, exact: true })).toHaveAttribute("href", `/@${name}/s/${row.session.workSessionId}`);
    }
    await item.getByRole("link", { name: "dajim-pc", exact: true }).click();
    await expect(page.getByRole("heading")).toHaveText(`/@dajim-pc/s/${row.session.workSessionId}`);
  });

  test("categories have the sessions of the chosen machines", async ({ page, monitor }) => {
    const { categories, all } = await monitor.get("/api/v2/home");
    const cells = page.locator(".category-band a");
    await page.goto("/");
    await expect(cells).toHaveCount(11);
    for (const [number, { key, total }] of categories.entries()) {
      await expect(cells.nth(number)).toHaveAttribute("href", `/all?category=${key}`);
      await expect(cells.nth(number).locator(".category-cell__total").first()).toHaveText(`${2 * total}`);
    }
    await expect(cells.nth(10)).toHaveAttribute("href", "/all");
    await page.goto("/?host=seum-mac");
    await expect(cells.nth(10).locator(".category-cell__total").first()).toHaveText(`${all.total}`);
    const { key } = categories.find(({ total }) => total > 0);
    await page.locator(`.category-band a[data-cat="${key}"]`).click();
    await expect(page).toHaveURL(`/all?host=seum-mac&category=${key}`);
    await expect(page.getByRole("combobox", { name: "모든 카테고리" })).toHaveValue(key);
  });

  test("one machine is chosen, and the address keeps it", async ({ page }) => {
    await page.goto("/");
    const filter = page.getByRole("group", { name: "기기", exact: true });
    await filter.getByRole("button", { name: "seum-mac-2" }).click();
    await expect(page).toHaveURL(/\/\?host=seum-mac-2$/);
    await expect(machines(page)).toHaveCount(1);
    await expect(page.locator(".work-line .machine-mark")).toHaveText(fleet.page.attention.filter((row) => row.source === "seum-mac-2").map(() => /seum-mac-2/));
    await expect(region(page, "최근 협업").getByRole("article")).toHaveCount(2);
    await expect(page.getByRole("list", { name: "확인할 기기" })).toHaveCount(0);
    await page.goBack();
    await expect(machines(page)).toHaveCount(6);
    await page.goto("/?host=miri-air");
    await expect(filter.getByRole("button", { name: "miri-air" })).toHaveAttribute("aria-pressed", "true");
    await expect(region(page, "내가 결정할 것"), "a silent machine is not calm").toContainText("결정할 것이 더 있을 수 있습니다");
    await page.goto("/?host=nowhere");
    await expect(page.getByText("“nowhere” 기기가 없습니다.")).toBeVisible();
    await filter.getByRole("button", { name: "전체" }).click();
    await expect(machines(page)).toHaveCount(6);
  });

  test("a search shows its hits by machine", async ({ page, monitor }) => {
    const { hits } = await monitor.get(`/api/v2/search?q=${encodeURIComponent("배포")}&in=sessions&limit=2`);
    fleet.found = { now: FIXTURE_NOW, sources: [{ source: "seum-mac", total: 7, hits }, { source: "seum-mac-2", total: 1, hits: hits.slice(0, 1) }] };
    await page.goto("/");
    await expect(machines(page)).toHaveCount(6);
    await page.keyboard.press("/");
    const field = page.getByRole("searchbox", { name: "모든 기기에서 찾기" });
    await expect(field).toBeFocused();
    await field.fill("배포 기기:seum-mac");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\?q=/);
    const found = region(page, "찾은 것");
    await expect(found.getByRole("heading", { level: 2 })).toHaveText(["seum-mac", "seum-mac-2"]);
    await expect(found.locator(".hit")).toHaveCount(hits.length + 1);
    await expect(found.locator(".hit").first().getByRole("link")).toHaveAttribute("href", `/@seum-mac/s/${hits[0].sessionId}`);
    await expect(found.getByRole("link", { name: "7건 모두 보기" })).toHaveAttribute("href", `/@seum-mac/search?q=${encodeURIComponent("배포")}`);
    await expect(found.getByRole("status")).toHaveText("8건");
    await page.getByRole("button", { name: "찾기 닫기" }).click();
    await expect(machines(page)).toHaveCount(6);
    fleet.found = { now: FIXTURE_NOW, sources: [] };
    await field.fill("없는말");
    await page.keyboard.press("Enter");
    await expect(page.getByText("찾은 것이 없습니다")).toBeVisible();
    allowProblems(page, [/503/]);
    fleet.searchFails = true;
    await field.fill("다른말");
    await page.keyboard.press("Enter");
    await expect(region(page, "찾은 것").getByRole("alert")).toContainText("불러오지 못했습니다");
    fleet.searchFails = false;
    await page.getByRole("button", { name: "다시 시도" }).click();
    await expect(page.getByText("찾은 것이 없습니다")).toBeVisible();
    await page.goBack();
    await expect(field).toHaveValue("없는말");
  });

  test("a failed refresh keeps what is shown and says since when it is old", { tag: "@quick" }, async ({ page }) => {
    allowProblems(page, [/503/]);
    fleet.fails = true;
    await page.goto("/");
    await expect(page.getByRole("alert")).toContainText("불러오지 못했습니다");
    fleet.fails = false;
    await page.getByRole("button", { name: "다시 시도" }).click();
    await expect(machines(page)).toHaveCount(6);
    await machine(page, "seum-mac").getByText("자세히").click();
    const card = region(page, "최근 협업").getByRole("article").first().getByRole("heading").getByRole("link");
    await card.focus();
    fleet.page.sources[4].statusCounts.active = 9;
    await expect(machine(page, "seum-mac")).toContainText("진행 중 9");
    await expect(machine(page, "seum-mac").getByText("2.4.0")).toBeVisible();
    await expect(machine(page, "seum-mac").locator("details")).toHaveAttribute("open", "");
    await expect(card).toBeFocused();
    fleet.fails = true;
    const band = page.getByRole("status").filter({ hasText: "새로 고치지 못했습니다" });
    await expect(band).toContainText(/\d\d:\d\d에 읽은 상태입니다/);
    await expect(machines(page)).toHaveCount(6);
    await expect(machine(page, "seum-mac").locator("details"), "the details stay unfolded").toHaveAttribute("open", "");
    fleet.fails = false;
    await expect(band).toHaveCount(0);
    fleet.page = { ...fleet.page, link: "lost", cause: "connection refused" };
    await expect(page.getByText("NATS 서버와 연결이 끊겼습니다. 마지막으로 읽은 상태입니다. (connection refused)")).toBeVisible();
  });

  const nav = (page) => page.getByRole("navigation").filter({ visible: true });
  const tab = (page, name) => nav(page).getByRole("link", { name, exact: true });

  test("tabs have addresses, keep the machine, and Back leads through them", { tag: "@quick" }, async ({ page }) => {
    await page.goto("/?host=seum-mac-2");
    await expect(machines(page)).toHaveCount(1);
    for (const [name, address, heading] of [
      ["협업", "/all?host=seum-mac-2", "협업"],
      ["이벤트", "/events?host=seum-mac-2", "이벤트"],
      ["작업", "/tasks?host=seum-mac-2", "작업"],
      ["에이전트", "/agents?host=seum-mac-2", "에이전트"],
      ["분류 추이", "/drift?host=seum-mac-2", "분류 추이"],
    ]) {
      await tab(page, name).click();
      await expect(page).toHaveURL(address);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
      await expect(page).toHaveTitle(new RegExp(heading));
      await expect(tab(page, name)).toHaveAttribute("aria-current", "page");
      const marks = page.locator("main .machine-mark, main .fleet__section h2");
      await expect(marks.first()).toContainText("seum-mac-2");
      expect(new Set(await marks.allInnerTexts()).size, "one machine").toBe(1);
    }
    await page.goBack();
    await expect(page).toHaveURL("/agents?host=seum-mac-2");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("에이전트");
    await page.keyboard.press("g");
    await page.keyboard.press("e");
    await expect(page).toHaveURL("/events?host=seum-mac-2");
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await expect(machines(page)).toHaveCount(1);
    await page.getByRole("group", { name: "기기", exact: true }).getByRole("button", { name: "전체" }).click();
    await expect(machines(page)).toHaveCount(6);
  });

  test("rows of every list name their machine and lead below it", async ({ page }) => {
    for (const [path, row] of [["/all", "article.session-card"], ["/events", "article.event-row"], ["/tasks", "article.task-row"], ["/agents", "article.agent-card"]]) {
      await page.goto(path);
      const rows = page.locator(row);
      await expect(rows.first()).toBeVisible();
      for (const one of (await rows.all()).slice(0, 6)) {
        const machine = (await one.locator(".machine-mark").innerText()).split(/\s/).at(-1);
        expect(LIST_MACHINES).toContain(machine);
        for (const link of await one.getByRole("link").all()) {
          await expect(link).toHaveAttribute("href", new RegExp(`^/@${machine}/`));
          await expect(link).toHaveAttribute("rel", "external");
        }
      }
    }
    await page.goto("/drift");
    await expect(page.locator("main h2 a").first()).toHaveAttribute("href", "/@seum-mac/drift");
    await expect(page.locator("main h2"), "the parts of a machine stand below its heading").toHaveText(LIST_MACHINES);
    await expect(page.locator(".share svg").first(), "the base line breaks where no session was").toHaveCSS("border-bottom-width", "0px");
    await page.goto("/events");
    await expect(page.locator("article.event-row").first()).toBeVisible();
    await page.keyboard.press("j");
    await expect(page.locator("article.event-row").first()).toBeFocused();
    await page.locator("article.event-row").first().getByRole("link", { name: /원본/ }).click();
    await expect(page.getByRole("heading")).toHaveText(/^\/@seum-mac\/events$/);
    await page.goBack();
    await expect(page.locator("article.event-row").first()).toBeVisible();
  });

  test("further rows come page by page, and filters are in the address", async ({ page }) => {
    await page.goto("/events");
    const rows = page.locator("article.event-row");
    await expect(rows).toHaveCount(50);
    await page.getByRole("button", { name: "더 보기" }).click();
    await expect(rows).toHaveCount(100);
    expect(fleet.asked.some((asked) => asked.includes("before=seum-mac.50"))).toBe(true);
    await page.getByRole("button", { name: "더 보기" }).click();
    await expect(rows).toHaveCount(fleet.rows.events.length);
    await expect(page.getByRole("button", { name: "더 보기" })).toHaveCount(0);
    await page.getByRole("combobox", { name: "모든 종류" }).selectOption("orchestration.task");
    await expect(page).toHaveURL("/events?role=orchestration.task");
    await expect(rows).toHaveCount(Math.min(50, fleet.rows.events.filter(([, event]) => event.role === "orchestration.task").length));
    await page.goBack();
    await expect(page).toHaveURL("/events");
    await page.getByRole("searchbox", { name: "목록에서 찾기" }).fill("없는말없는말");
    await expect(page).toHaveURL(/\?q=/);
    await expect(rows).toHaveCount(0);
    fleet.page.sources.forEach((source) => (source.state = "live"));
    await expect(page.getByRole("heading", { name: "조건에 맞는 이벤트가 없습니다" })).toBeVisible();
    await page.getByRole("link", { name: "필터 지우기" }).click();
    await expect(page).toHaveURL("/events");
    await expect(rows.first()).toBeVisible();
    await page.goto("/tasks?status=asleep");
    await expect(page.getByText("status=asleep")).toBeVisible();
    await page.goto("/tasks?status=completed");
    const completed = fleet.rows.tasks.filter(([, task]) => task.status === "completed").length;
    await expect(page.locator("article.task-row")).toHaveCount(Math.min(50, completed));
    await expect(page.locator(".task-section .n")).toHaveText(`${completed}`);
  });

  test("sessions are filtered by category and agent, events and tasks by agent", async ({ page }) => {
    const menu = (name) => page.getByRole("combobox", { name });
    const cards = page.locator("article.session-card");
    const shown = (rows) => Math.min(50, rows.length);
    await page.goto("/all");
    await expect(cards).toHaveCount(shown(fleet.rows.sessions));
    const [, { category, participants }] = fleet.rows.sessions[0];
    const ofCategory = fleet.rows.sessions.filter(([, session]) => session.category.key === category.key);
    const ofBoth = ofCategory.filter(([, session]) => session.participants.includes(participants[0]));
    expect(ofCategory.length).toBeLessThan(fleet.rows.sessions.length);
    await menu("모든 카테고리").selectOption(category.key);
    await expect(page).toHaveURL(`/all?category=${category.key}`);
    await expect(cards).toHaveCount(shown(ofCategory));
    await menu("모든 에이전트").selectOption(participants[0]);
    await expect(page).toHaveURL(`/all?category=${category.key}&agent=${participants[0]}`);
    await expect(cards).toHaveCount(shown(ofBoth));
    await page.goBack();
    await expect(menu("모든 에이전트")).toHaveValue("");
    await expect(cards).toHaveCount(shown(ofCategory));
    for (const path of ["/events", "/tasks"]) {
      await page.goto(path);
      await menu("모든 에이전트").selectOption(participants[0]);
      await expect(page).toHaveURL(`${path}?agent=${participants[0]}`);
      await expect.poll(() => fleet.asked.some((asked) => asked.includes(path) && asked.includes(`agent=${participants[0]}`))).toBe(true);
    }
    await page.goto("/all?category=cooking");
    await expect(page.getByText("category=cooking")).toBeVisible();
  });

  test("a list says what it lacks, and a failure is no empty list", async ({ page }) => {
    allowProblems(page, [/503/]);
    fleet.starting = ["ruda-box"];
    await page.goto("/events");
    await expect(page.getByText("ruda-box: 기록을 읽는 중이라 목록에 다 나오지 않습니다.")).toBeVisible();
    await expect(page.getByRole("list", { name: "확인할 기기" })).toContainText("eden-mini: 12 KB 아직 안 읽음");
    fleet.starting = [];
    await expect(page.getByText(/기록을 읽는 중이라/)).toHaveCount(0);
    fleet.listFails = true;
    await expect(page.getByText("목록을 새로 고치지 못했습니다. 마지막으로 읽은 목록입니다.")).toBeVisible();
    await expect(page.locator("article.event-row"), "rows stay").toHaveCount(50);
    await page.goto("/tasks");
    await expect(page.getByRole("alert")).toContainText("불러오지 못했습니다");
    fleet.listFails = false;
    await page.getByRole("button", { name: "다시 시도" }).click();
    await expect(page.locator("article.task-row").first()).toBeVisible();
    await page.goto("/tasks?host=miri-air");
    await expect(page.getByRole("heading", { name: "보이지 않는 것이 있을 수 있습니다" }), "a silent machine").toBeVisible();
    await page.goto("/tasks?host=nowhere");
    await expect(page.getByText("“nowhere” 기기가 없습니다.")).toBeVisible();
    expect(fleet.asked.filter((asked) => asked.includes("host=nowhere"))).toEqual([]);
    fleet.rows.tasks = [];
    fleet.page.sources.forEach((source) => (source.state = "live"));
    await page.goto("/tasks");
    await expect(page.getByRole("heading", { name: "작업이 없습니다" })).toBeVisible();
  });

  test("a stream of changes refreshes the page, and polling replaces a lost one", async ({ page, monitor }) => {
    allowProblems(page, [/503/, /ERR_/]);
    const streams = await startStreams(monitor);
    fleet.streams = streams;
    const polls = () => fleet.asked.filter((asked) => asked === "/api/v2/fleet").length;
    await page.goto(streams.url);
    await expect(machines(page)).toHaveCount(6);
    await expect.poll(() => streams.open.size).toBe(1);
    await page.waitForTimeout(1_500);
    const before = polls();
    await page.waitForTimeout(5_000);
    expect(polls(), "nothing is requested without a change").toBe(before);
    fleet.page.sources[4].statusCounts.active = 9;
    streams.change(2);
    await expect(machine(page, "seum-mac")).toContainText("진행 중 9");
    fleet.streams = undefined;
    streams.stop();
    fleet.page.sources[4].statusCounts.active = 8;
    await expect(machine(page, "seum-mac"), "polling replaces the stream").toContainText("진행 중 8");
    await expect(page.getByText(/새로 고치지 못했습니다/)).toHaveCount(0);
    fleet.fails = true;
    await expect(page.getByRole("status").filter({ hasText: "새로 고치지 못했습니다" })).toBeVisible();
  });

  test("a fleet without machines says why", async ({ page }) => {
    const title = page.getByRole("heading", { level: 1 });
    const command = page.getByText("task-monitor ship --home DIR --fleet 작업실 --nats URL");
    fleet.page = { ...fleet.page, sources: [], attention: [], sessions: [], link: "connecting" };
    await page.goto("/");
    await expect(title).toHaveText("기기를 확인하고 있습니다");
    await expect(command).toHaveCount(0);
    fleet.page = { ...fleet.page, link: "connected", pending: ["seum-mac"] };
    await expect(title).toHaveText("기기의 기록을 읽고 있습니다");
    await expect(page.getByText("seum-mac: 기록을 읽고 있어 아직 다 보이지 않습니다.")).toBeVisible();
    fleet.page = { ...fleet.page, pending: [] };
    await expect(title).toHaveText("아직 아무 기기도 보내지 않았습니다");
    await expect(command).toBeVisible();
  });

  test("a page whose machines are not all shown is not calm", async ({ page }) => {
    const [live] = fleet.page.sources.filter(({ name }) => name === "seum-mac");
    const shown = { ...fleet.page, sources: [live], attention: [], sessions: [] };
    const work = region(page, "내가 결정할 것");
    const unsure = "결정할 것이 더 있을 수 있습니다";
    fleet.page = { ...shown, sources: [{ ...live, starting: true }] };
    await page.goto("/");
    await expect(work).toContainText(unsure);
    await expect(machine(page, "seum-mac")).toContainText("준비 중");
    await expect(page.getByText("seum-mac: 기록을 읽고 있어 아직 다 보이지 않습니다.")).toBeVisible();
    fleet.page = shown;
    await expect(work).not.toContainText(unsure);
    await expect(machine(page, "seum-mac")).toContainText("최신");
    fleet.page = { ...shown, pending: ["fresh"] };
    await expect(work).toContainText(unsure);
    await expect(page.getByText("기기 2대 중 1대를 확인해 주세요.")).toBeVisible();
    fleet.page = { ...shown, beyondLimit: ["eden-201", "ruda-202"] };
    await expect(work).toContainText(unsure);
    await expect(page.getByText("기기는 200대까지 볼 수 있습니다. 보이지 않는 기기: eden-201, ruda-202")).toBeVisible();
    await page.goto("/?host=fresh");
    await expect(page.getByText("“fresh” 기기가 없습니다.")).toBeVisible();
    fleet.page = { ...shown, pending: ["fresh"] };
    await expect(page.getByText("“fresh” 기기가 없습니다.")).toHaveCount(0);
  });

  for (const look of [{ width: 390, height: 844, theme: "dark", language: "en" }, { width: 1440, theme: "light" }]) {
    test(`the fleet page fits ${look.width} pixels, and axe finds nothing`, async ({ openPage, monitor }) => {
      const page = await openPage(null, { now: FIXTURE_NOW, baseURL: monitor.url, ...look });
      await serve(page, fleet);
      await page.goto("/");
      await expect(page.locator(".machine")).toHaveCount(6);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), "no sideways scrolling").toBeLessThanOrEqual(0);
      await page.locator(".machine").first().locator("summary").click();
      // Through the driver, not as a script tag: the page's policy forbids foreign scripts.
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      expect(violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
      for (const path of ["/all", "/events", "/tasks", "/agents", "/drift"]) {
        await page.goto(path);
        await expect(page.locator("main .machine-mark, main .fleet__section h2").first()).toBeVisible();
        expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `no sideways scrolling on ${path}`).toBeLessThanOrEqual(0);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        expect(violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(" ")}`), path).toEqual([]);
      }
    });
  }
});

test("the page of one machine asks for no fleet", { tag: "@quick" }, async ({ page }) => {
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto("/");
  await waitUntilLoaded(page);
  await expect(connection(page)).toHaveText(/실시간/);
  expect(asked.filter((url) => url.includes("/v2/fleet"))).toEqual([]);
});
