import { expect, it } from "vitest"
import type { House } from "../support/house.ts"

export const market = (house: () => House): void => {
  it("a coin's candles are drawn in their colours, light and dark", async () => {
    const { go, page } = await house().signedIn(await house().account())
    await go("/market/BTC")
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      // Reports for each of these colours whether the drawing contains it.
      const drawn = () =>
        page.evaluate(() => {
          const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!
          const pointsOf = (width: number, height: number, draw: () => void): Uint32Array => {
            Object.assign(copy.canvas, { width, height })
            draw()
            return new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer)
          }
          const colour = (name: string): number => {
            const element = document.body.appendChild(document.createElement("i"))
            element.style.color = `var(${name})`
            const { color } = getComputedStyle(element)
            element.remove()
            return pointsOf(1, 1, () => {
              copy.fillStyle = color
              copy.fillRect(0, 0, 1, 1)
            })[0]!
          }
          const found = new Set(
            [...document.querySelectorAll("canvas")].filter(({ height, width }) => height * width > 0).flatMap((
              canvas
            ) => [...pointsOf(canvas.width, canvas.height, () => copy.drawImage(canvas, 0, 0))])
          )
          return ["--panel", "--up", "--down"].map((name) => found.has(colour(name)))
        })
      await expect.poll(drawn, { timeout: 20_000 }).toEqual([true, true, true])
    }
  })
}
