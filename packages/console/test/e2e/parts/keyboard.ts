import type { Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { pages } from "../../../browser/pages/index.ts"
import { formWords } from "../../../browser/pages/journal/formWords.ts"
import { journalWords } from "../../../browser/pages/journal/words.ts"
import { keyDialogWords } from "../../../browser/pages/keys/dialogWords.ts"
import { keysWords } from "../../../browser/pages/keys/words.ts"
import { toolWords } from "../../../browser/pages/tool/words.ts"
import { toolsWords } from "../../../browser/pages/tools/words.ts"
import { answered } from "../support/forms.ts"
import type { House } from "../support/house.ts"

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement)

/** True if the focus is visible. */
const isMarked = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const { boxShadow, outlineStyle } = getComputedStyle(element)
    return element.matches(":focus-visible") && (outlineStyle !== "none" || boxShadow !== "none")
  })

/** Presses Tab until the target has the focus. */
const tabTo = async (page: Page, target: Locator): Promise<void> => {
  await target.waitFor()
  for (let pressed = 0; pressed < 60; pressed++) {
    if (await isFocused(target)) return expect(await isMarked(target), String(target)).toBe(true)
    await page.keyboard.press("Tab")
  }
  throw new Error(`No tabulator leads to ${String(target)}`)
}

const nameOf = (path: string): string => pages.find((page) => page.path === path)!.name.en

export const keyboard = (house: () => House): void => {
  it("by the keyboard alone a key is issued, and a tool is found and run", async () => {
    const { go, page } = await house().signedIn(await house().account())
    await go("/usage")
    const press = async (target: Locator, key = "Enter") => {
      await tabTo(page, target)
      await page.keyboard.press(key)
    }
    const navigation = page.getByRole("navigation").first()
    await press(navigation.getByRole("link", { name: nameOf("/keys") }))
    await press(page.getByRole("button", { name: keysWords.en.issue }).first())
    const dialog = page.getByRole("dialog")
    await tabTo(page, dialog.getByRole("textbox", { name: keyDialogWords.en.name }))
    await page.keyboard.type("laptop")
    await press(dialog.getByRole("button", { name: keyDialogWords.en.issue }))
    await press(dialog.getByRole("button", { name: keyDialogWords.en.done }))
    await page.getByRole("row", { name: /laptop/u }).waitFor()

    await press(navigation.getByRole("link", { name: nameOf("/tools") }))
    await tabTo(page, page.getByRole("searchbox", { name: toolsWords.en.search }))
    await page.keyboard.type("price_hi")
    const row = page.getByRole("row", { name: "get_price_history" })
    await page.getByRole("row").nth(1).and(row).waitFor()
    await press(row)
    await press(page.getByRole("button", { name: toolWords.en.run, exact: true }))
    await page.getByRole("heading", { name: toolWords.en.result }).waitFor()
    await answered(page)
    expect(new URL(page.url()).pathname).toBe("/app/tools/get_price_history")
  })
}

export const keyboardOfJournal = (house: () => House): void => {
  it("by the keyboard alone a position is recorded and closed", async () => {
    const [says, form] = [journalWords.en, formWords.en]
    const { go, page } = await house().signedIn(await house().account())
    await go("/journal")
    await tabTo(page, page.getByRole("button", { name: says.record }).first())
    await page.keyboard.press("Enter")
    const recording = page.getByRole("dialog", { name: form.recordTitle })
    for (const [field, text] of [[form.coin, "BTC"], [form.size, "1000"], [form.entry, "60000"]] as const) {
      await tabTo(page, recording.getByRole("textbox", { name: field, exact: true }))
      await page.keyboard.type(text)
    }
    await page.keyboard.press("Enter")
    await recording.waitFor({ state: "detached" })
    const row = page.getByRole("row", { name: /BTC/u })
    await tabTo(page, row)
    // In a table, arrow keys move between cells. Left of the first cell is the last one.
    const close = row.getByRole("button", { name: says.closeOf("BTC") })
    while (!await isFocused(close)) await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("Enter")
    const closing = page.getByRole("dialog", { name: form.closeTitle("BTC") })
    await tabTo(page, closing.locator("[type=submit]"))
    await page.keyboard.press("Enter")
    await page.getByText(says.none).waitFor()
    expect(await row.count()).toBe(0)
  })
}
