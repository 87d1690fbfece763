import { isFullRun } from "@tapeline/testing/fullRun"
import { expect, it } from "vitest"
import { toolTexts } from "../../../browser/pages/tool/texts.ts"
import { widgetTexts } from "../../../browser/widgets/texts.ts"
import type { TestEnvironment } from "../support/environment.ts"

const wideResults = [
  { tool: "get_kr_listings", table: "listings", fields: {}, plots: 0 },
  ...(isFullRun
    ? [{ tool: "get_price_history", table: "candles", fields: { coin: "BTC", bars: "101" }, plots: 1 }]
    : [])
]

export const testWideTables = (environment: () => TestEnvironment): void => {
  it("show shadows at their edges if they are wider than a phone, and scroll by keys", async () => {
    const { goTo, page } = await environment().openSignedIn(await environment().createAccount(), { screen: "phone" })
    for (const { fields, plots, table, tool } of wideResults) {
      await goTo(`/tools/${tool}`)
      for (const [name, value] of Object.entries(fields)) {
        await page.getByRole("textbox", { name: new RegExp(`^${name}`, "u") }).fill(value)
      }
      await page.getByRole("button", { name: toolTexts.en.run, exact: true }).click()
      const region = page.getByRole("region", { name: widgetTexts.en.scrollable(table) })
      const backgroundImage = await region.evaluate((element) => getComputedStyle(element).backgroundImage)
      expect(backgroundImage).toContain("linear-gradient")
      await expect.poll(async () => {
        // The focus is set in each attempt, because a part of the page that loads late may take the focus.
        await region.focus()
        await page.keyboard.press("ArrowRight")
        return region.evaluate(({ scrollLeft }) => scrollLeft)
      }, { timeout: 10_000 }).toBeGreaterThan(0)
      expect(await page.getByRole("img", { name: / (over time|by expiry)$/u }).count(), tool).toBe(plots)
    }
  })
}
