import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { toolWords } from "../../../browser/pages/tool/words.ts"

/** Sends the form of a dialog by its button, whatever that says it takes, and waits until it has been taken. */
export const send = async (dialog: Locator): Promise<void> => {
  await dialog.locator("[type=submit]").click()
  await dialog.waitFor({ state: "detached" })
}

/** Fills fields by their names. */
export const fill = async (dialog: Locator, fields: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(fields)) await dialog.getByRole("textbox", { name, exact: true }).fill(text)
}

/** Takes one of those that a field offers. */
export const choose = async (page: Page, dialog: Locator, field: string, option: string): Promise<void> => {
  await dialog.getByRole("button", { name: field }).click()
  await page.getByRole("option", { name: option, exact: true }).click()
}

/** Opens the menu of a row, and takes an entry. */
export const take = async (page: Page, menu: string, entry: string): Promise<void> => {
  await page.getByRole("button", { name: menu, exact: true }).click()
  await page.getByRole("menuitem", { name: entry, exact: true }).click()
}

/** What a field that is refused says of itself to whoever hears it. */
export const faultAt = async (field: Locator): Promise<string> => {
  await expect.poll(() => field.getAttribute("aria-invalid"), { timeout: 20_000 }).toBe("true")
  return field.evaluate((element) =>
    (element.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.innerText)
      .join(" ")
  )
}

/** Waits until a tool that was run on its page has answered, and says that one credit was charged for it. */
export const answered = (page: Page): Promise<void> =>
  page.locator("main [aria-live=polite]").getByText(toolWords.en.used(1), { exact: true }).waitFor()
