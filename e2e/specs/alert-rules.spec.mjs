// Browser tests of the page of alert rules: a rule written from the work list, what it sends, and how it is changed,
// paused, removed and restored.
//
// Proves (work): A person writes a rule of alerts from a group or a line of the work list, sees which lines it is about
// before saving, and from then on its matters arrive at the channel under its name; a paused or removed rule sends
// nothing, and the default rules hold while there is no other.
import { FIXTURE_NOW } from "../support/monitor.mjs";
import { expect, test } from "../support/alert-channel.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";
import { allowProblems } from "../support/test.mjs";

const blocked = (task, reason, unblockedBy = []) => ({
  type: "task.blocked",
  agentId: "seum",
  ts: FIXTURE_NOW,
  data: { taskId: task, reason, unblockedBy },
});
const rules = (page) => page.getByRole("list", { name: "규칙", exact: true });
const rule = (page, name) => rules(page).getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
const menu = async (page, name, act) => {
  await page.getByLabel(`${name} 규칙 메뉴`).first().click();
  await page.getByRole("button", { name: act, exact: true }).click();
};

test("a rule from the work list sends its matters under its name", { tag: "@quick" }, async ({ page, monitor, webhook }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  await page.getByRole("link", { name: "내가 결정할 것 알림 규칙 만들기" }).click();
  const form = page.getByRole("dialog", { name: "새 알림 규칙" });
  await expect(form.getByRole("button", { name: "내가 결정할 것" })).toHaveAttribute("aria-pressed", "true");
  await expect(form).toContainText("지금 해당하는 일이 없습니다");

  await form.getByRole("button", { name: "저장" }).click();
  await expect(form.getByRole("alert")).toHaveText("이름을 적어 주세요.");
  await form.getByLabel("이름").fill("막힌 세움");
  await form.getByRole("button", { name: "차단됨" }).click();
  await form.getByRole("combobox", { name: "바로" }).selectOption("");
  await form.getByRole("button", { name: "저장" }).click();
  await expect(form).toBeHidden();
  await expect(page).toHaveURL(/\/alerts$/);
  await expect(rule(page, "막힌 세움")).toContainText("내가 결정할 것 · 차단됨 · 바로 · team");
  await expect(rules(page).getByRole("listitem")).toHaveCount(1);

  await monitor.append(blocked("task_rule", "배포 승인 필요"));
  await expect.poll(() => webhook.received.map((body) => body.rule)).toContain("막힌 세움");
  await expect(rule(page, "막힌 세움")).toContainText("지금 1건");

  const own = rule(page, "막힌 세움");
  await own.getByRole("switch").click();
  await expect(own.getByRole("switch")).toHaveText("꺼짐");
  await menu(page, "막힌 세움", "수정");
  const edit = page.getByRole("dialog", { name: "알림 규칙 수정" });
  await edit.getByLabel("시작").fill("22:00");
  await edit.getByRole("button", { name: "저장" }).click();
  await expect(edit.getByRole("alert")).toHaveText("시작과 끝을 서로 다르게 모두 적어 주세요.");
  await edit.getByLabel("끝", { exact: true }).fill("08:00");
  await edit.getByRole("button", { name: "저장" }).click();
  await expect(own).toContainText("22:00–08:00에는 보내지 않음");

  await menu(page, "막힌 세움", "삭제");
  await expect(rules(page)).toContainText("기본");
  await expect(rules(page).getByRole("listitem")).toHaveCount(2);
  await page.getByRole("button", { name: "되돌리기" }).click();
  await expect(rules(page).getByRole("listitem")).toHaveCount(1);
  await expect(own.getByRole("switch")).toHaveText("꺼짐");
  await menu(page, "막힌 세움", "삭제");
  await expect(rules(page).getByRole("listitem")).toHaveCount(2);
});

test("a rule for things like a line has its kind and agent", async ({ page, monitor }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  await monitor.append(blocked("task_line", "리뷰를 기다림", ["eden"]));
  const line = page.getByRole("region", { name: "에이전트끼리 막힌 것" }).getByRole("listitem").filter({ hasText: "리뷰를 기다림" });
  await line.locator("summary").first().click();
  await line.getByRole("button", { name: "이런 일의 알림 규칙 만들기" }).click();
  const form = page.getByRole("dialog", { name: "새 알림 규칙" });
  await expect(form.getByRole("group", { name: "무슨 일" }).locator("[aria-pressed=true]")).toHaveCount(1);
  await expect(form.getByRole("group", { name: "어느 에이전트" }).locator("[aria-pressed=true]")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(form).toBeHidden();
  await expect(page).toHaveURL(/\/alerts$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/$/);
});

test("what another tab writes first is not overwritten", async ({ page }) => {
  await page.goto("/alerts?group=person");
  const form = page.getByRole("dialog", { name: "새 알림 규칙" });
  await form.getByLabel("이름").fill("두 탭");
  await form.getByRole("button", { name: "저장" }).click();
  await menu(page, "두 탭", "수정");
  const other = await page.context().newPage();
  await other.goto(page.url());
  await rule(other, "두 탭").getByRole("switch").click();
  await expect(rule(other, "두 탭").getByRole("switch")).toHaveText("꺼짐");
  const edit = page.getByRole("dialog", { name: "알림 규칙 수정" });
  // The refusal is an answer of the monitor, which the browser reports.
  allowProblems(page, [/409 \(Conflict\)/]);
  await edit.getByLabel("이름").fill("늦은 이름");
  await edit.getByRole("button", { name: "저장" }).click();
  await expect(page.getByText(/먼저|바뀌었|다른 사람/).first()).toBeVisible();
  await expect(edit.getByLabel("이름")).toHaveValue("늦은 이름");
  await page.keyboard.press("Escape");
  await menu(page, "두 탭", "삭제");
  await expect(rule(page, "두 탭")).toHaveCount(0);
  await other.close();
});
