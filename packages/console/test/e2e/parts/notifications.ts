import type { Language } from "@tapeline/core/specifications"
import { expect, it } from "vitest"
import { notificationTexts } from "../../../browser/app/notifications/texts.ts"
import { testedLanguages } from "../support/describeInBrowser.ts"
import type { TestEnvironment } from "../support/environment.ts"
import type { WatchedTask } from "./journal.ts"

/**
 * The timeout covers more than a minute, because a watch is evaluated only after the end of the minute in which the
 * watch was created.
 */
const timeoutMs = 150_000

export const testNotifications = (
  environment: () => TestEnvironment,
  watchedTasks: ReadonlyMap<Language, WatchedTask>
): void => {
  it.each(testedLanguages)("counts the notification of a watch that fired, and lists it (%s)", async (language) => {
    const texts = notificationTexts[language]
    const created = watchedTasks.get(language)
    if (created === undefined) throw new Error("The journal test created no watch")
    const { goTo, page } = await environment().openSignedIn(created.account, { language })
    await goTo("/keys")
    await page.getByRole("button", { name: texts.button(1) }).click({ timeout: timeoutMs })
    const panel = page.getByRole("dialog", { name: texts.title })
    await panel.getByRole("button", { name: texts.list(20, 1) }).click()
    await panel.getByRole("listitem").filter({ hasText: created.title }).waitFor()
    expect(await panel.getByRole("listitem").count()).toBe(1)
  }, timeoutMs * 2)
}
