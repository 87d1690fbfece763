import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { pages } from "../../../browser/pages/index.ts"
import { fillPath } from "../../../browser/router/route.ts"
import { findViolations, waitUntilSettled } from "../support/axe.ts"
import type { TestEnvironment } from "../support/environment.ts"
import type { PopulatedAccount } from "../support/populateAccount.ts"
import { providerLabel } from "../support/provider.ts"

/** A usual test run checks every fourth page, and the seed selects the first page. */
const firstPage = seed % 4

/** Returns whether this test run checks the page with an index. */
export const isDrawn = (index: number): boolean => isFullRun || index % 4 === firstPage

const pagePaths = ({ conversation, task }: PopulatedAccount): ReadonlyArray<string> => {
  const params = { coin: "BTC", name: "get_price_history", conversation: String(conversation), task: String(task) }
  return pages.map(({ path }) => fillPath(path, params))
}

/** Words in Latin letters that the pages of all languages may contain: names, and keys of a keyboard. */
const sharedWords = new Set([
  ...providerLabel.split(" "),
  ..."Tapeline Kim Ada demo trader bot Chrome Linux curl TypeScript Python English WebP Home End TradingView Lightweight Charts Inc"
    .split(" ")
])

/**
 * Returns the page's words in lower-case Latin letters. Omits texts for programs, and texts that are marked as English.
 */
const latinWords = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Array<string> = []
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const { parentElement, textContent } = node
      const isExcluded = parentElement?.closest("code, pre, form, noscript, script, [lang]:not(html)") !== null
      if (!isExcluded) texts.push(textContent ?? "")
    }
    const attributeTexts = [...document.querySelectorAll("[aria-label], [placeholder], [alt]")].flatMap((element) =>
      ["aria-label", "placeholder", "alt"].map((name) => element.getAttribute(name) ?? "")
    )
    const word = /(?<![\w./-])[A-Za-z]*[a-z]{2,}[A-Za-z]*(?![\w/-])/gu
    return [...texts, ...attributeTexts].flatMap((text) => text.match(word) ?? [])
  })

/** The result of `inspectPage` for a page without flaws. */
export const flawless = { over: 0, english: [], found: [] }

/**
 * Returns the overflow, the English words and the axe violations of a page. The index of the page selects the theme of
 * the axe checks.
 */
export const inspectPage = async (page: Page, index: number) => {
  await waitUntilSettled(page)
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  const english = (await latinWords(page)).filter((word) => !sharedWords.has(word))
  const found = await findViolations(page, Math.floor(index / 2) % 2 === 0 ? "light" : "dark")
  return { over, english: [...new Set(english)], found }
}

export const testEveryPage = (environment: () => TestEnvironment, getPopulated: () => PopulatedAccount): void => {
  it("has no axe violation, overflow or English word on a phone in Russian", async () => {
    const { goTo, page } = await environment().openSignedIn(getPopulated().account, { language: "ru", screen: "phone" })
    for (const [i, path] of pagePaths(getPopulated()).entries()) {
      if (!isDrawn(i)) continue
      await goTo(path)
      expect.soft({ path, ...await inspectPage(page, i) }).toEqual({ path, ...flawless })
    }
  })
}

export const testEveryWidePage = (environment: () => TestEnvironment, getPopulated: () => PopulatedAccount): void => {
  it("has no axe violation in either theme", async () => {
    const { goTo, page } = await environment().openSignedIn(getPopulated().account)
    for (const [i, path] of pagePaths(getPopulated()).entries()) {
      await goTo(path)
      expect.soft({ path, found: await findViolations(page, i % 2 === 0 ? "light" : "dark") }).toEqual({
        path,
        found: []
      })
    }
  })

  it("has a title and no axe violation if its resource is missing", async () => {
    const { goTo, page } = await environment().openSignedIn(getPopulated().account)
    const missingPaths = [
      "/nowhere",
      "/tools/no_such_tool",
      "/tools/a.b",
      "/tasks/999999",
      "/analyst/999999",
      "/market/~"
    ]
    for (const path of missingPaths) {
      await goTo(path)
      expect.soft({ path, found: await findViolations(page) }).toEqual({ path, found: [] })
    }
  })
}
