/**
 * Prices over months are a random walk: the variance of a return grows with its time (Lo & MacKinlay, "Stock market
 * prices do not follow random walks", Review of Financial Studies 1, 1988, whose estimator without bias this is).
 * Were it to grow more slowly, betting on a return to the mean would be free money in every backtest.
 */
import { describe, expect, it } from "vitest"
import { makeWorld } from "../src/world.ts"
import { full } from "./support/counts.ts"
import { mean } from "./support/statistics.ts"

const dayMs = 86_400_000
const from = Date.parse("2020-01-01") / dayMs
const to = Date.parse("2027-01-01") / dayMs

const varianceRatio = (p: ReadonlyArray<number>, q: number): number => {
  const count = p.length - 1
  const drift = (p[count]! - p[0]!) / count
  const squares = (lag: number): number => {
    let sum = 0
    for (let i = lag; i <= count; i++) sum += (p[i]! - p[i - lag]! - lag * drift) ** 2
    return sum
  }
  const one = squares(1) / (count - 1)
  return squares(q) / (q * (count - q + 1) * (1 - q / count)) / one
}

/** Log prices at midnights of every coin that floats, of six worlds; every fourth coin in the short form. */
const paths = [1, 2, 3, 4, 5, 6].flatMap((seed) =>
  makeWorld(seed).markets
    .filter(({ spec }, i) => !spec.isStablecoin && (full || i % 4 === 0))
    .map((market) => {
      const first = Math.max(from, market.listedAt / dayMs)
      return Array.from({ length: to - first + 1 }, (_, i) => market.logPrice((first + i) * dayMs))
    })
)

describe("daily closes", () => {
  it.each([64, 128, 256])("have a variance ratio near 1 at %i days", (days) => {
    const ratio = mean(paths.map((path) => varianceRatio(path, days)))
    expect(ratio).toBeGreaterThan(0.8)
    expect(ratio).toBeLessThan(1.25)
  })

  it("stay within what years of such days explain", () => {
    for (
      const { spec, logPrice } of [1, 2].flatMap((seed) =>
        makeWorld(seed).markets.map((market) => ({ spec: market.spec, logPrice: (t: number) => market.logPrice(t) }))
      )
    ) {
      for (const year of [2022, 2024, 2026, 2028, 2032]) {
        const away = Math.abs(logPrice(Date.UTC(year, 6, 1)) - Math.log(spec.price))
        const sd = spec.dailySd * Math.sqrt(365 * Math.abs(year + 0.5 - 2026) + 60)
        expect(away).toBeLessThan(4 * sd + 0.6 * Math.abs(year - 2026) + 0.01)
      }
    }
  })
})
