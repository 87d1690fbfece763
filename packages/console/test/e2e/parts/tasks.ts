import { expect, it } from "vitest"
import { taskFormWords } from "../../../browser/pages/tasks/formWords.ts"
import { taskWords } from "../../../browser/pages/tasks/words.ts"
import { choose, faultAt, fill, send, take } from "../support/forms.ts"
import type { House } from "../support/house.ts"

/** The question of the task, which is also its title. */
const title = "What moved?"

export const tasks = (house: () => House): void => {
  it("a task that the service refuses says why at its field; mended it is made, paused, resumed and deleted", async () => {
    const [says, form] = [taskWords.en, taskFormWords.en]
    const { go, page } = await house().signedIn(await house().account())
    await go("/tasks")
    await page.getByRole("button", { name: says.make }).first().click()
    const making = page.getByRole("dialog", { name: form.makeTitle })
    await making.getByRole("radio", { name: form.schedule }).click()
    await making.getByRole("radio", { name: form.interval }).click()
    await choose(page, making, form.unit, form.minutes)
    await fill(making, { [form.everyCount]: "1", [form.prompt]: title })
    await making.locator("[type=submit]").click()
    const every = making.getByRole("textbox", { name: form.everyCount, exact: true })
    expect(await faultAt(every)).toMatch(/\b5\b.*\b43.?200\b/u)
    expect(await making.getByRole("alert").count()).toBe(0)
    await every.fill("30")
    await send(making)

    const row = page.getByRole("row", { name: title })
    await row.getByText(says.active).waitFor()
    await row.getByRole("button", { name: says.pauseOf(title) }).click()
    await row.waitFor({ state: "detached" })
    await page.getByRole("radio", { name: `${says.paused} 1` }).click()
    await row.getByRole("button", { name: says.resumeOf(title) }).click()
    await page.getByRole("radio", { name: `${says.active} 1` }).click()
    await take(page, says.more(title), says.remove)
    await page.getByRole("dialog", { name: form.deleteTitle(title) }).getByRole("button", { name: form.remove }).click()
    await page.getByText(says.none).waitFor()
  })
}
