import axe, { type AxeResults, type RunOptions } from "axe-core"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { pages } from "../../../browser/pages/index.ts"
import { filled } from "../../../browser/router/route.ts"
import type { Furnished } from "../support/furnish.ts"
import type { House } from "../support/house.ts"
import { providerLabel } from "../support/provider.ts"

/** The address of every page that the console has. */
const paths = ({ conversation, task }: Furnished): ReadonlyArray<string> => {
  const params = { coin: "BTC", name: "get_price_history", conversation: String(conversation), task: String(task) }
  return pages.map(({ path }) => filled(path, params))
}

/** Waits until nothing on the page is on its way any more, and nothing moves. */
const settled = async (page: Page): Promise<void> => {
  await page.locator("main h1").first().waitFor()
  await page.waitForFunction(() => document.querySelector("[role=status][aria-label]") === null)
  // One that is given up is over as well.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
}

declare global {
  /** What the page is given for as long as it is looked at. */
  // oxlint-disable-next-line no-var
  var axe: { readonly run: (options: RunOptions) => Promise<AxeResults> }
}

/** What is wrong with the page, as far as rules can tell. */
const violations = async (page: Page, options: RunOptions = {}) => {
  // Where in a page it is wrong is told by the element itself; selectors take longer than all rules.
  const asked: RunOptions = { ...options, resultTypes: ["violations"], selectors: false, preload: false }
  const found = await page.evaluate((options) => globalThis.axe.run(options), asked)
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

/** What the theme decides about. */
const ofColour: RunOptions = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }

/** What is written in Latin letters in every language: names, and keys of a keyboard. */
const universal = new Set([
  ...providerLabel.split(" "),
  ..."Tapeline Kim trader bot Chrome Linux curl TypeScript Python English WebP Home End TradingView Lightweight Charts Inc"
    .split(" ")
])

/**
 * Words in small Latin letters that somebody reads or hears. What programs write stands in code, and in the form of a
 * tool; what the catalogue says is marked as English.
 */
const latinWords = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Array<string> = []
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const { parentElement, textContent } = node
      const isOther = parentElement?.closest("code, pre, form, noscript, [lang]:not(html)") !== null
      if (!isOther) texts.push(textContent ?? "")
    }
    const told = [...document.querySelectorAll("[aria-label], [placeholder], [alt]")].flatMap((element) =>
      ["aria-label", "placeholder", "alt"].map((name) => element.getAttribute(name) ?? "")
    )
    const word = /(?<![\w./-])[A-Za-z]*[a-z]{2,}[A-Za-z]*(?![\w/-])/gu
    return [...texts, ...told].flatMap((text) => text.match(word) ?? [])
  })

export const everyPage = (house: () => House, furnished: () => Furnished): void => {
  it("axe finds nothing wrong on any page, in either theme", async () => {
    const { go, page } = await house().signedIn(furnished().account)
    for (const [i, path] of paths(furnished()).entries()) {
      const [first, second] = i % 2 === 0 ? ["light", "dark"] as const : ["dark", "light"] as const
      await go(path)
      await settled(page)
      await page.evaluate(axe.source)
      const found = await violations(page)
      await page.emulateMedia({ colorScheme: second })
      await settled(page)
      const others = await violations(page, ofColour)
      expect.soft({ path, [first]: found, [second]: others }).toEqual({ path, [first]: [], [second]: [] })
    }
  })

  it("what there is not is told on a page that has a title, and axe finds nothing wrong with it", async () => {
    const { go, page } = await house().signedIn(furnished().account)
    for (
      const path of ["/nowhere", "/tools/no_such_tool", "/tools/a.b", "/tasks/999999", "/analyst/999999", "/market/~"]
    ) {
      await go(path)
      await settled(page)
      await page.evaluate(axe.source)
      expect.soft({ path, found: await violations(page) }).toEqual({ path, found: [] })
    }
  })

  it("on a phone no page is wider than the screen, and in Russian none says anything in English", async () => {
    const { go, page } = await house().signedIn(furnished().account, { language: "ru", screen: "phone" })
    for (const path of paths(furnished())) {
      await go(path)
      await settled(page)
      const over = await page.evaluate(() =>
        document.documentElement.scrollWidth - document.documentElement.clientWidth
      )
      const english = (await latinWords(page)).filter((word) => !universal.has(word))
      expect.soft({ path, over, english: [...new Set(english)] }).toEqual({ path, over: 0, english: [] })
    }
  })
}
