import { Clock, Effect } from "effect"
import { toIndexRow, toMarketRow, toNamedIndexRow } from "../../analysis/equities/resultRows.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { sessionState } from "../../market/calendar/sessions.ts"
import type { EquityMarketSummary } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { ExchangeRates } from "../../market/ExchangeRates.ts"
import type { FxRate } from "../../market/korea.ts"
import { type OptionalReading, readOptional, unavailableNote } from "../../market/optionalRead.ts"
import { provenanceOf } from "../../market/provenance.ts"
import type { Reading } from "../../market/reading.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getKrMarket } from "./getKrMarket.ts"
import { makeDailyRateNotes } from "./premium.ts"

/** Returns the fields about the stock market. If no source reports stocks, the values are null or empty. */
const toStockFields = (summary: EquityMarketSummary | null, now: number) => {
  const readIndex = (name: string) => {
    const quote = summary?.indices.find(({ index }) => index === name)
    return quote === undefined ? null : toIndexRow(quote)
  }
  const row = summary === null
    ? { session: sessionState("KR", now), traded_at: null, breadth: null, sectors: [] }
    : toMarketRow(summary)
  return {
    kospi: readIndex("KOSPI"),
    kosdaq: readIndex("KOSDAQ"),
    ...row,
    foreign_net_krw: summary?.foreignNetKrw ?? null,
    futures: (summary?.futures ?? []).map(toNamedIndexRow)
  }
}

const toDollarFields = ({ value: { quotedAt, rate } }: Reading<FxRate>, previousRate: number | null) => ({
  rate,
  change_24h_pct: previousRate === null ? null : 100 * (rate / previousRate - 1),
  time: formatInstant(quotedAt)
})

const makeDollarNotes = (
  { error, reading }: OptionalReading<FxRate>,
  previousRate: number | null
): ReadonlyArray<string> =>
  reading === null
    ? [error === null ? "No rate is recorded: usd_krw is null." : unavailableNote(error, "usd_krw is null")]
    : [
      ...makeDailyRateNotes(reading, "usd_krw does not include"),
      ...(previousRate === null ? ["usd_krw.change_24h_pct is null: the rate of a day ago is not recorded."] : [])
    ]

const makeStockNotes = (
  { error, reading }: OptionalReading<EquityMarketSummary>,
  { foreign_net_krw, kosdaq, kospi }: ReturnType<typeof toStockFields>
): ReadonlyArray<string> => {
  if (reading === null) return [unavailableNote(error, "indices, breadth, sectors, foreigners and futures are missing")]
  const unreportedFields = Object.entries({ kospi, kosdaq, foreign_net_krw })
    .flatMap(([name, value]) => value === null ? [name] : [])
  return unreportedFields.length > 0 ? [`Not reported by any source: ${unreportedFields.join(", ")}.`] : []
}

export const handler = handlerOf(
  getKrMarket,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const rates = yield* ExchangeRates
    return Effect.fnUntraced(function*() {
      const now = yield* Clock.currentTimeMillis
      const stocks = yield* readOptional(equities.market("KR"))
      const readUsd = readOptional(rates.rate({ pair: "usd_krw" }))
      // If the stock data is unavailable, the rate of the dollar is the only remaining data, so its absence is an
      // error.
      const usd = stocks.reading === null
        ? yield* Effect.catchTag(readUsd, "NoData", () => stocks.error)
        : yield* readUsd
      if (stocks.reading === null && usd.reading === null) return yield* stocks.error
      const previousRate = usd.reading === null ? null : yield* rates.rate({ pair: "usd_krw", time: now - dayMs }).pipe(
        Effect.map(({ value }) => value.rate),
        Effect.catchTag("NoData", () => Effect.succeed(null))
      )
      const rows = toStockFields(stocks.reading?.value ?? null, now)
      const readings = [stocks.reading, usd.reading].flatMap((reading) => reading ?? [])
      const [first, ...others] = readings
      return {
        ...rows,
        usd_krw: usd.reading === null ? null : toDollarFields(usd.reading, previousRate),
        notes: [...makeStockNotes(stocks, rows), ...makeDollarNotes(usd, previousRate)],
        ...provenanceOf(first!, ...others)
      }
    })
  })
)
