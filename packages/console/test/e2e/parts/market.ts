import { expect, it } from "vitest"
import { marketTexts } from "../../../browser/pages/market/texts.ts"
import { testedLanguages } from "../support/describeInBrowser.ts"
import type { TestEnvironment } from "../support/environment.ts"

export const testMarketTexts = (environment: () => TestEnvironment): void => {
  it.each(testedLanguages)("labels simulated prices, and explains an unknown coin (%s)", async (language) => {
    const texts = marketTexts[language]
    const { goTo, page } = await environment().openSignedIn(await environment().createAccount(), { language })
    await goTo("/market")
    await page.getByText(texts.simulated, { exact: true }).waitFor()
    await goTo("/market/KASPA")
    await page.getByText(texts.unknownCoin("KASPA")).waitFor()
    await page.getByText(texts.unknownCoinDetail).waitFor()
    // The service's own message would quote the argument of the call.
    expect(await page.getByText("`KASPA`").count()).toBe(0)
  })
}

export const testMarket = (environment: () => TestEnvironment): void => {
  it("draws candles in the colours of the light and the dark theme", async () => {
    const { goTo, page } = await environment().openSignedIn(await environment().createAccount())
    await goTo("/market/BTC")
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      // Returns for each colour whether the drawn chart contains the colour.
      const drawnColours = () =>
        page.evaluate(() => {
          const canvasContext = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!
          const readPixels = (width: number, height: number, draw: () => void): Uint32Array => {
            Object.assign(canvasContext.canvas, { width, height })
            draw()
            return new Uint32Array(canvasContext.getImageData(0, 0, width, height).data.buffer)
          }
          const readColour = (name: string): number => {
            const element = document.body.appendChild(document.createElement("i"))
            element.style.color = `var(${name})`
            const { color } = getComputedStyle(element)
            element.remove()
            return readPixels(1, 1, () => {
              canvasContext.fillStyle = color
              canvasContext.fillRect(0, 0, 1, 1)
            })[0]!
          }
          const pixels = new Set(
            [...document.querySelectorAll("canvas")].filter(({ height, width }) => height * width > 0).flatMap((
              canvas
            ) => [...readPixels(canvas.width, canvas.height, () => canvasContext.drawImage(canvas, 0, 0))])
          )
          return ["--panel", "--up", "--down"].map((name) => pixels.has(readColour(name)))
        })
      await expect.poll(drawnColours, { timeout: 20_000 }).toEqual([true, true, true])
    }
  })
}
