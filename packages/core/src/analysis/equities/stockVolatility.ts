/** Computes a stock's realised volatility per year of 252 sessions, from closes adjusted for dividends and splits. */
import { realisedVolatility } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { MarketError } from "../../market/errors.ts"
import { makeReading, type Reading } from "../../market/reading.ts"

const sessionsPerYear = 252
export const sessionsPerMonth = 21

export interface StockVolatility {
  /** The volatility over the last 21 sessions, in percent per year; null if fewer sessions have closed. */
  readonly currentPct: number | null
  /** The 21-session volatility after each of the last 252 sessions, in percent per year, oldest first. */
  readonly lastYearPct: ReadonlyArray<number>
}

export const readStockVolatility = (
  equities: EquityMarkets["Service"],
  symbol: string
): Effect.Effect<Reading<StockVolatility>, MarketError> =>
  equities.history({ symbol, timeframe: "1d", bars: sessionsPerYear + sessionsPerMonth + 1 }).pipe(
    Effect.map(({ asOf, sources, value }) => {
      const closes = value.candles.filter(({ closed }) => closed).map(({ close }) => close)
      const lastYearPct: Array<number> = []
      for (let end = sessionsPerMonth; end < closes.length; end++) {
        const sigma = realisedVolatility(closes.slice(end - sessionsPerMonth, end + 1), sessionsPerYear)
        if (sigma !== null) lastYearPct.push(100 * sigma)
      }
      return makeReading(
        { currentPct: lastYearPct.at(-1) ?? null, lastYearPct: lastYearPct.slice(-sessionsPerYear) },
        sources,
        asOf
      )
    }),
    Effect.catchTag("NoData", () => Effect.succeed(makeReading({ currentPct: null, lastYearPct: [] }, [], Infinity)))
  )
