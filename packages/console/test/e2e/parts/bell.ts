import type { Language } from "@tapeline/core/specifications"
import { expect, it } from "vitest"
import { bellWords } from "../../../browser/app/bell/words.ts"
import type { House } from "../support/house.ts"
import { someLanguages } from "../support/inBrowser.ts"
import type { Watching } from "./journal.ts"

/** A watch is evaluated after the end of the minute in which it was created. */
const withinMs = 150_000

export const bell = (house: () => House, watching: ReadonlyMap<Language, Watching>): void => {
  it.each(someLanguages)("a watch that came true rings, and what rang is read (%s)", async (language) => {
    const says = bellWords[language]
    const made = watching.get(language)
    if (made === undefined) throw new Error("The journal made no watch that could ring")
    const { go, page } = await house().signedIn(made.account, { language })
    await go("/keys")
    await page.getByRole("button", { name: says.button(1) }).click({ timeout: withinMs })
    const opened = page.getByRole("dialog", { name: says.title })
    await opened.getByRole("button", { name: says.list(20, 1) }).click()
    await opened.getByRole("listitem").filter({ hasText: made.title }).waitFor()
    expect(await opened.getByRole("listitem").count()).toBe(1)
  }, withinMs * 2)
}
