/** A stock's realised volatility: close to close, adjusted for dividends and splits, annualised by 252 sessions. */
import { realisedVolatility } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { MarketError } from "../../market/errors.ts"
import { type Reading, reading } from "../../market/reading.ts"

const sessionsPerYear = 252
/** The number of sessions in 30 days. */
export const monthSessions = 21

export interface StockVolatility {
  /** Over the last 21 sessions, percent a year. Null if fewer have closed. */
  readonly pct: number | null
  /** The same at the end of each of the last 252 sessions, oldest first. */
  readonly year: ReadonlyArray<number>
}

/** Reads the volatility over 21 sessions, at present and through the last year. */
export const stockVolatility = (
  equities: EquityMarkets["Service"],
  symbol: string
): Effect.Effect<Reading<StockVolatility>, MarketError> =>
  equities.history({ symbol, timeframe: "1d", bars: sessionsPerYear + monthSessions + 1 }).pipe(
    Effect.map(({ asOf, sources, value }) => {
      const closes = value.candles.filter(({ closed }) => closed).map(({ close }) => close)
      const year: Array<number> = []
      for (let end = monthSessions; end < closes.length; end++) {
        const sigma = realisedVolatility(closes.slice(end - monthSessions, end + 1), sessionsPerYear)
        if (sigma !== null) year.push(100 * sigma)
      }
      return reading({ pct: year.at(-1) ?? null, year: year.slice(-sessionsPerYear) }, sources, asOf)
    }),
    Effect.catchTag("NoData", () => Effect.succeed(reading({ pct: null, year: [] }, [], Infinity)))
  )
