import type { Language } from "@tapeline/core/specifications"
import { expect, it } from "vitest"
import { positionFormTexts } from "../../../browser/pages/journal/positionFormTexts.ts"
import { journalTexts } from "../../../browser/pages/journal/texts.ts"
import { taskFormTexts } from "../../../browser/pages/tasks/formTexts.ts"
import { widgetTexts } from "../../../browser/widgets/texts.ts"
import { callTool } from "../support/callTool.ts"
import { testedLanguages } from "../support/describeInBrowser.ts"
import type { TestEnvironment } from "../support/environment.ts"
import { chooseMenuItem, chooseOption, fillFields, submitDialog } from "../support/forms.ts"

/** An account that has just recorded a position, and the task that watches the position. */
export interface WatchedTask {
  readonly account: number
  readonly title: string
}

export const testLostResponse = (environment: () => TestEnvironment): void => {
  it("records a position once if its response was lost, also from a reopened dialog", async () => {
    const [texts, form] = [journalTexts.en, positionFormTexts.en]
    const account = await environment().createAccount()
    const { goTo, page } = await environment().openSignedIn(account)
    await goTo("/journal")
    const recordDialog = page.getByRole("dialog", { name: form.recordTitle })
    const fillRecordDialog = async () => {
      await page.getByRole("button", { name: texts.record }).first().click()
      await fillFields(recordDialog, { [form.coin]: "BTC", [form.size]: "1000", [form.entry]: "60000" })
    }
    await fillRecordDialog()
    await page.route("**/v1/tools/set_position", async (route) => {
      await route.fetch()
      await route.abort()
    })
    await recordDialog.locator("[type=submit]").click()
    await recordDialog.getByText(widgetTexts.en.unreachable).waitFor()
    await page.unroute("**/v1/tools/set_position")
    await recordDialog.getByRole("button", { name: widgetTexts.en.cancel }).click()
    await recordDialog.waitFor({ state: "detached" })
    await fillRecordDialog()
    await submitDialog(recordDialog)
    await page.getByRole("row", { name: /BTC/u }).waitFor()
    const { data } = await callTool(environment(), await environment().issueKey(account), "get_positions", {})
    expect(data).toMatchObject({ positions: [{ coin: "BTC" }] })
  })
}

export const testJournal = (
  environment: () => TestEnvironment,
  onWatchCreated: (language: Language, created: WatchedTask) => void
): void => {
  it.each(testedLanguages)(
    "reports a missing field, records a position, and creates a watch from it (%s)",
    async (language) => {
      const [texts, form, task] = [journalTexts[language], positionFormTexts[language], taskFormTexts[language]]
      const account = await environment().createAccount()
      const { goTo, page } = await environment().openSignedIn(account, { language })
      await goTo("/journal")
      await page.getByRole("button", { name: texts.record }).first().click()
      const recordDialog = page.getByRole("dialog", { name: form.recordTitle })
      await fillFields(recordDialog, { [form.size]: "1000", [form.entry]: "60000", [form.stop]: "57000" })
      await recordDialog.locator("[type=submit]").click()
      await recordDialog.getByText(form.missing).waitFor()
      await fillFields(recordDialog, { [form.coin]: "BTC" })
      await submitDialog(recordDialog)
      await page.getByRole("row", { name: /BTC/u }).filter({ hasText: "57,000" }).waitFor()

      await chooseMenuItem(page, texts.more("BTC"), texts.watch)
      const watchDialog = page.getByRole("dialog", { name: task.createTitle })
      expect(await watchDialog.getByRole("textbox", { name: task.value }).inputValue()).toBe("57000")
      await chooseOption(page, watchDialog, task.op, task.gt)
      const title = `BTC > 1 (${language})`
      await fillFields(watchDialog, { [task.value]: "1", [task.title]: title })
      await submitDialog(watchDialog)
      await page.getByRole("link", { name: title }).waitFor()
      onWatchCreated(language, { account, title })
    }
  )
}

export const testPositions = (environment: () => TestEnvironment): void => {
  it("changes a position, closes a part and then the rest, and deletes another after confirmation", async () => {
    const [texts, form] = [journalTexts.en, positionFormTexts.en]
    const account = await environment().createAccount()
    const key = await environment().issueKey(account)
    const position = { side: "long", size_usd: 1000, entry: 60_000 }
    for (const coin of ["BTC", "ETH"]) await callTool(environment(), key, "set_position", { coin, ...position })
    const { goTo, page } = await environment().openSignedIn(account)
    await goTo("/journal")
    const row = (coin: string) => page.getByRole("row", { name: new RegExp(coin, "u") })
    await chooseMenuItem(page, texts.more("BTC"), texts.change)
    const changeDialog = page.getByRole("dialog", { name: form.changeTitle("BTC") })
    await fillFields(changeDialog, { [form.stop]: "58000" })
    await submitDialog(changeDialog)
    await row("BTC").filter({ hasText: "58,000" }).waitFor()

    const closeDialog = page.getByRole("dialog", { name: form.closeTitle("BTC") })
    for (const share of ["50%", form.all]) {
      await row("BTC").getByRole("button", { name: texts.closeOf("BTC") }).click()
      await closeDialog.getByRole("radio", { name: share }).click()
      await fillFields(closeDialog, { [form.exit]: "66000", [form.fees]: "1" })
      await closeDialog.getByText("$49").waitFor()
      await submitDialog(closeDialog)
      if (share !== form.all) await row("BTC").filter({ hasText: texts.part("50%") }).waitFor()
    }
    await row("BTC").waitFor({ state: "detached" })

    const deleteDialog = page.getByRole("dialog", { name: form.deleteTitle("ETH") })
    await chooseMenuItem(page, texts.more("ETH"), texts.remove)
    await deleteDialog.getByRole("button", { name: widgetTexts.en.cancel }).click()
    await deleteDialog.waitFor({ state: "detached" })
    await row("ETH").waitFor()
    await chooseMenuItem(page, texts.more("ETH"), texts.remove)
    await deleteDialog.getByRole("button", { name: form.remove }).click()
    await page.getByText(texts.none).waitFor()

    await page.getByRole("tab", { name: texts.trades }).click()
    await row("BTC").nth(1).waitFor()
    const { data } = await callTool(environment(), key, "get_trade_history", {})
    expect(data).toMatchObject({ trades: [{ coin: "BTC", exit: 66_000 }, { coin: "BTC", exit: 66_000 }] })
  })
}
