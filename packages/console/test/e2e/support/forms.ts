import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { toolTexts } from "../../../browser/pages/tool/texts.ts"

/** Submits the form of a dialog with any label of the submit button, and waits until the dialog has closed. */
export const submitDialog = async (dialog: Locator): Promise<void> => {
  await dialog.locator("[type=submit]").click()
  await dialog.waitFor({ state: "detached" })
}

export const fillFields = async (dialog: Locator, fields: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(fields)) await dialog.getByRole("textbox", { name, exact: true }).fill(text)
}

export const chooseOption = async (page: Page, dialog: Locator, field: string, option: string): Promise<void> => {
  await dialog.getByRole("button", { name: field }).click()
  await page.getByRole("option", { name: option, exact: true }).click()
}

export const chooseMenuItem = async (page: Page, menu: string, entry: string): Promise<void> => {
  await page.getByRole("button", { name: menu, exact: true }).click()
  await page.getByRole("menuitem", { name: entry, exact: true }).click()
}

/** Returns the error message of an invalid form field, as a screen reader announces the message. */
export const readFieldError = async (field: Locator): Promise<string> => {
  await expect.poll(() => field.getAttribute("aria-invalid"), { timeout: 20_000 }).toBe("true")
  return field.evaluate((element) =>
    (element.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.innerText)
      .join(" ")
  )
}

export const waitForResult = (page: Page): Promise<void> =>
  page.locator("main [aria-live=polite]").getByText(toolTexts.en.used(1), { exact: true }).waitFor()
