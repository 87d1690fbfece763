import type { Language } from "@tapeline/core/specifications"
import { expect, it } from "vitest"
import { formWords } from "../../../browser/pages/journal/formWords.ts"
import { journalWords } from "../../../browser/pages/journal/words.ts"
import { taskFormWords } from "../../../browser/pages/tasks/formWords.ts"
import { widgetWords } from "../../../browser/widgets/words.ts"
import { tool } from "../support/calls.ts"
import { choose, fill, send, take } from "../support/forms.ts"
import type { House } from "../support/house.ts"
import { someLanguages } from "../support/inBrowser.ts"

/** An account that has just recorded a position and watches it. */
export interface Watching {
  readonly account: number
  /** The title of its task. */
  readonly title: string
}

export const lostAnswer = (house: () => House): void => {
  it("a position whose answer was lost is recorded once, also in a dialog that was closed and opened again", async () => {
    const [says, form] = [journalWords.en, formWords.en]
    const account = await house().account()
    const { go, page } = await house().signedIn(account)
    await go("/journal")
    const recording = page.getByRole("dialog", { name: form.recordTitle })
    const write = async () => {
      await page.getByRole("button", { name: says.record }).first().click()
      await fill(recording, { [form.coin]: "BTC", [form.size]: "1000", [form.entry]: "60000" })
    }
    await write()
    await page.route("**/v1/tools/set_position", async (route) => {
      await route.fetch()
      await route.abort()
    })
    await recording.locator("[type=submit]").click()
    await recording.getByText(widgetWords.en.unreachable).waitFor()
    await page.unroute("**/v1/tools/set_position")
    await recording.getByRole("button", { name: form.cancel }).click()
    await recording.waitFor({ state: "detached" })
    await write()
    await send(recording)
    await page.getByRole("row", { name: /BTC/u }).waitFor()
    const { data } = await tool(house(), await house().key(account), "get_positions", {})
    expect(data).toMatchObject({ positions: [{ coin: "BTC" }] })
  })
}

export const journal = (house: () => House, watching: (language: Language, made: Watching) => void): void => {
  it.each(someLanguages)(
    "a position is recorded in its dialog, which says what is missing, and a watch is made from it (%s)",
    async (language) => {
      const [says, form, task] = [journalWords[language], formWords[language], taskFormWords[language]]
      const account = await house().account()
      const { go, page } = await house().signedIn(account, { language })
      await go("/journal")
      await page.getByRole("button", { name: says.record }).first().click()
      const recording = page.getByRole("dialog", { name: form.recordTitle })
      await fill(recording, { [form.size]: "1000", [form.entry]: "60000", [form.stop]: "57000" })
      await recording.locator("[type=submit]").click()
      await recording.getByText(form.missing).waitFor()
      await fill(recording, { [form.coin]: "BTC" })
      await send(recording)
      await page.getByRole("row", { name: /BTC/u }).filter({ hasText: "57,000" }).waitFor()

      await take(page, says.more("BTC"), says.watch)
      const watch = page.getByRole("dialog", { name: task.makeTitle })
      expect(await watch.getByRole("textbox", { name: task.value }).inputValue()).toBe("57000")
      await choose(page, watch, task.op, task.gt)
      const title = `BTC > 1 (${language})`
      await fill(watch, { [task.value]: "1", [task.title]: title })
      await send(watch)
      await page.getByRole("link", { name: title }).waitFor()
      watching(language, { account, title })
    }
  )
}

export const positions = (house: () => House): void => {
  it("a position is changed, closed in a part and as a whole, and one by mistake deleted once that is confirmed", async () => {
    const [says, form] = [journalWords.en, formWords.en]
    const account = await house().account()
    const key = await house().key(account)
    const position = { side: "long", size_usd: 1000, entry: 60_000 }
    for (const coin of ["BTC", "ETH"]) await tool(house(), key, "set_position", { coin, ...position })
    const { go, page } = await house().signedIn(account)
    await go("/journal")
    const row = (coin: string) => page.getByRole("row", { name: new RegExp(coin, "u") })
    await take(page, says.more("BTC"), says.change)
    const changing = page.getByRole("dialog", { name: form.changeTitle("BTC") })
    await fill(changing, { [form.stop]: "58000" })
    await send(changing)
    await row("BTC").filter({ hasText: "58,000" }).waitFor()

    const closing = page.getByRole("dialog", { name: form.closeTitle("BTC") })
    for (const share of ["50%", form.all]) {
      await row("BTC").getByRole("button", { name: says.closeOf("BTC") }).click()
      await closing.getByRole("radio", { name: share }).click()
      await fill(closing, { [form.exit]: "66000", [form.fees]: "1" })
      await closing.getByText("$49").waitFor()
      await send(closing)
      if (share !== form.all) await row("BTC").filter({ hasText: says.part("50%") }).waitFor()
    }
    await row("BTC").waitFor({ state: "detached" })

    const deleting = page.getByRole("dialog", { name: form.deleteTitle("ETH") })
    await take(page, says.more("ETH"), says.remove)
    await deleting.getByRole("button", { name: form.cancel }).click()
    await deleting.waitFor({ state: "detached" })
    await row("ETH").waitFor()
    await take(page, says.more("ETH"), says.remove)
    await deleting.getByRole("button", { name: form.remove }).click()
    await page.getByText(says.none).waitFor()

    await page.getByRole("tab", { name: says.trades }).click()
    await row("BTC").nth(1).waitFor()
    const { data } = await tool(house(), key, "get_trade_history", {})
    expect(data).toMatchObject({ trades: [{ coin: "BTC", exit: 66_000 }, { coin: "BTC", exit: 66_000 }] })
  })
}
