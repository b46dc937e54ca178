// Browser tests of the channels of alerts in the data panel: what became of the newest message, the test, and messages
// that were given up.
//
// Proves (page): A person sees of each channel of alerts how its newest message ended, sends a test, and sends a message
// again that was given up; the address of a channel is cut to its host.
import { expect, test } from "../support/alert-channel.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

async function open(page) {
  await page.goto("/");
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: /데이터 상태/ }).first().click();
  return page.getByRole("region", { name: "알림 채널" });
}

test("a channel is tested, and what was given up is sent again", { tag: "@quick" }, async ({ page, webhook }) => {
  webhook.status = 200;
  const part = await open(page);
  await expect(part).toContainText("team");
  await expect(part).toContainText(webhook.url);
  await expect(page.locator("body")).not.toContainText("s3cret-address");
  const press = part.getByRole("button", { name: "team 채널에 시험 알림 보내기" });
  await press.click();
  await expect(page.getByText("team 채널에 시험 알림을 보냈습니다")).toBeVisible();
  expect(webhook.received.at(-1)).toMatchObject({ form: "test", status: "open" });
  await expect(part).toContainText("보냄");

  webhook.status = 404;
  await press.click();
  await expect(page.getByText(/team 채널에 보내지 못했습니다: it answers 404/)).toBeVisible();
  await expect(part.getByText("보내지 못한 알림")).toBeVisible();
  webhook.status = 200;
  await part.getByRole("button", { name: "다시 보내기" }).click();
  await expect(part.getByText("보내지 못한 알림")).toHaveCount(0);
  expect(webhook.received.at(-1).form).toBe("test");
});
