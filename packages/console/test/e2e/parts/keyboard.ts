import type { Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { pages } from "../../../browser/pages/index.ts"
import { positionFormTexts } from "../../../browser/pages/journal/positionFormTexts.ts"
import { journalTexts } from "../../../browser/pages/journal/texts.ts"
import { keyDialogTexts } from "../../../browser/pages/keys/dialogTexts.ts"
import { keysTexts } from "../../../browser/pages/keys/texts.ts"
import { toolTexts } from "../../../browser/pages/tool/texts.ts"
import { toolsTexts } from "../../../browser/pages/tools/texts.ts"
import type { TestEnvironment } from "../support/environment.ts"
import { waitForResult } from "../support/forms.ts"

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement)

const isFocusVisible = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const { boxShadow, outlineStyle } = getComputedStyle(element)
    return element.matches(":focus-visible") && (outlineStyle !== "none" || boxShadow !== "none")
  })

const tabTo = async (page: Page, target: Locator): Promise<void> => {
  await target.waitFor()
  for (let pressedCount = 0; pressedCount < 60; pressedCount++) {
    if (await isFocused(target)) return expect(await isFocusVisible(target), String(target)).toBe(true)
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab does not reach ${String(target)}`)
}

const pageName = (path: string): string => pages.find((page) => page.path === path)!.name.en

export const testKeyboard = (environment: () => TestEnvironment): void => {
  it("issues a key, and finds and runs a tool", async () => {
    const { goTo, page } = await environment().openSignedIn(await environment().createAccount())
    await goTo("/usage")
    const press = async (target: Locator, key = "Enter") => {
      await tabTo(page, target)
      await page.keyboard.press(key)
    }
    const navigation = page.getByRole("navigation").first()
    await press(navigation.getByRole("link", { name: pageName("/keys") }))
    await press(page.getByRole("button", { name: keysTexts.en.issue }).first())
    const dialog = page.getByRole("dialog")
    await tabTo(page, dialog.getByRole("textbox", { name: keyDialogTexts.en.name }))
    await page.keyboard.type("laptop")
    await press(dialog.getByRole("button", { name: keyDialogTexts.en.issue }))
    await press(dialog.getByRole("button", { name: keyDialogTexts.en.done }))
    await page.getByRole("row", { name: /laptop/u }).waitFor()

    await press(navigation.getByRole("link", { name: pageName("/tools") }))
    await tabTo(page, page.getByRole("searchbox", { name: toolsTexts.en.search }))
    await page.keyboard.type("price_hi")
    const tableRow = page.getByRole("row", { name: "get_price_history" })
    await page.getByRole("row").nth(1).and(tableRow).waitFor()
    await press(tableRow)
    await press(page.getByRole("button", { name: toolTexts.en.run, exact: true }))
    await page.getByRole("heading", { name: toolTexts.en.result }).waitFor()
    await waitForResult(page)
    expect(new URL(page.url()).pathname).toBe("/app/tools/get_price_history")
  })
}

export const testJournalKeyboard = (environment: () => TestEnvironment): void => {
  it("records and closes a position", async () => {
    const [texts, form] = [journalTexts.en, positionFormTexts.en]
    const { goTo, page } = await environment().openSignedIn(await environment().createAccount())
    await goTo("/journal")
    await tabTo(page, page.getByRole("button", { name: texts.record }).first())
    await page.keyboard.press("Enter")
    const recordDialog = page.getByRole("dialog", { name: form.recordTitle })
    for (const [field, text] of [[form.coin, "BTC"], [form.size, "1000"], [form.entry, "60000"]] as const) {
      await tabTo(page, recordDialog.getByRole("textbox", { name: field, exact: true }))
      await page.keyboard.type(text)
    }
    await page.keyboard.press("Enter")
    await recordDialog.waitFor({ state: "detached" })
    const tableRow = page.getByRole("row", { name: /BTC/u })
    await tabTo(page, tableRow)
    // In a table, the left arrow key moves to the previous cell, and from the first cell to the last cell.
    const close = tableRow.getByRole("button", { name: texts.closeOf("BTC") })
    while (!await isFocused(close)) await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("Enter")
    const closeDialog = page.getByRole("dialog", { name: form.closeTitle("BTC") })
    await tabTo(page, closeDialog.locator("[type=submit]"))
    await page.keyboard.press("Enter")
    await page.getByText(texts.none).waitFor()
    expect(await tableRow.count()).toBe(0)
  })
}
