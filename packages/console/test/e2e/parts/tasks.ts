import { expect, it } from "vitest"
import { taskFormTexts } from "../../../browser/pages/tasks/formTexts.ts"
import { taskTexts } from "../../../browser/pages/tasks/texts.ts"
import type { TestEnvironment } from "../support/environment.ts"
import { chooseMenuItem, chooseOption, fillFields, readFieldError, submitDialog } from "../support/forms.ts"

const title = "What moved?"

export const testTasks = (environment: () => TestEnvironment): void => {
  it("show the reason of a rejection at its field, and are created, paused, resumed and deleted", async () => {
    const [texts, form] = [taskTexts.en, taskFormTexts.en]
    const { goTo, page } = await environment().openSignedIn(await environment().createAccount())
    await goTo("/tasks")
    await page.getByRole("button", { name: texts.create }).first().click()
    const createDialog = page.getByRole("dialog", { name: form.createTitle })
    await createDialog.getByRole("radio", { name: form.schedule }).click()
    await createDialog.getByRole("radio", { name: form.interval }).click()
    await chooseOption(page, createDialog, form.unit, form.minutes)
    await fillFields(createDialog, { [form.everyCount]: "1", [form.prompt]: title })
    await createDialog.locator("[type=submit]").click()
    const intervalField = createDialog.getByRole("textbox", { name: form.everyCount, exact: true })
    expect(await readFieldError(intervalField)).toMatch(/\b5\b.*\b43.?200\b/u)
    expect(await createDialog.getByRole("alert").count()).toBe(0)
    await intervalField.fill("30")
    await submitDialog(createDialog)

    const row = page.getByRole("row", { name: title })
    await row.getByText(texts.active).waitFor()
    await row.getByRole("button", { name: texts.pauseOf(title) }).click()
    await row.waitFor({ state: "detached" })
    await page.getByRole("radio", { name: `${texts.paused} 1` }).click()
    await row.getByRole("button", { name: texts.resumeOf(title) }).click()
    await page.getByRole("radio", { name: `${texts.active} 1` }).click()
    await chooseMenuItem(page, texts.more(title), texts.remove)
    await page.getByRole("dialog", { name: form.deleteTitle(title) }).getByRole("button", { name: form.remove }).click()
    await page.getByText(texts.none).waitFor()
  })
}
