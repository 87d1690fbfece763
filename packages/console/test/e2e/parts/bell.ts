import { expect, it } from "vitest"
import { bellWords } from "../../../browser/app/bell/words.ts"
import { type Furnished, rings } from "../support/furnish.ts"
import type { House } from "../support/house.ts"

/** A watch is judged once the minute is over in which it was made. */
const withinMs = 150_000

export const bell = (house: () => House, furnished: () => Furnished): void => {
  it.each(["en", "ko"] as const)("a watch that came true rings, and what rang is read (%s)", async (language) => {
    const says = bellWords[language]
    const { go, page } = await house().signedIn(furnished().account, { language })
    await go("/keys")
    await page.getByRole("button", { name: says.button(1) }).click({ timeout: withinMs })
    const opened = page.getByRole("dialog", { name: says.title })
    await opened.getByRole("button", { name: says.list(20, 1) }).click()
    await opened.getByRole("listitem").filter({ hasText: rings }).waitFor()
    expect(await opened.getByRole("listitem").count()).toBe(1)
  }, withinMs * 2)
}
