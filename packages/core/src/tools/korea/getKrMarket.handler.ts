import { Clock, Effect } from "effect"
import { indexRow, marketRow, namedIndexRow } from "../../analysis/equities/marketRows.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { sessionState } from "../../market/calendar/sessions.ts"
import type { EquityMarketSummary } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { ExchangeRates } from "../../market/ExchangeRates.ts"
import type { FxRate } from "../../market/korea.ts"
import { awayNote, type OrAway, orAway } from "../../market/orAway.ts"
import { provenanceOf } from "../../market/provenance.ts"
import type { Reading } from "../../market/reading.ts"
import { dayMs } from "../../market/timeframe.ts"
import { dailyRateNotes } from "./dailyRate.ts"
import { getKrMarket } from "./getKrMarket.ts"

/** Returns the market's values from stocks, with nulls if no source reports stocks. */
const ofStocks = (read: EquityMarketSummary | null, now: number) => {
  const indexOf = (name: string) => {
    const quote = read?.indices.find(({ index }) => index === name)
    return quote === undefined ? null : indexRow(quote)
  }
  const row = read === null
    ? { session: sessionState("KR", now), traded_at: null, breadth: null, sectors: [] }
    : marketRow(read)
  return {
    kospi: indexOf("KOSPI"),
    kosdaq: indexOf("KOSDAQ"),
    ...row,
    foreign_net_krw: read?.foreignNetKrw ?? null,
    futures: (read?.futures ?? []).map(namedIndexRow)
  }
}

const ofDollar = ({ value: { quotedAt, rate } }: Reading<FxRate>, before: number | null) => ({
  rate,
  change_24h_pct: before === null ? null : 100 * (rate / before - 1),
  time: instant(quotedAt)
})

const dollarNotes = ({ away, told }: OrAway<FxRate>, before: number | null): ReadonlyArray<string> =>
  told === null
    ? [away === null ? "No rate is recorded: usd_krw is null." : awayNote(away, "usd_krw is null")]
    : [
      ...dailyRateNotes(told, "usd_krw does not tell"),
      ...(before === null ? ["usd_krw.change_24h_pct is null: the rate of a day ago is not recorded."] : [])
    ]

const stockNotes = (
  { away, told }: OrAway<EquityMarketSummary>,
  { foreign_net_krw, kosdaq, kospi }: ReturnType<typeof ofStocks>
): ReadonlyArray<string> => {
  if (told === null) return [awayNote(away, "indices, breadth, sectors, foreigners and futures are missing")]
  const untold = Object.entries({ kospi, kosdaq, foreign_net_krw })
    .flatMap(([name, value]) => value === null ? [name] : [])
  return untold.length > 0 ? [`No source tells: ${untold.join(", ")}.`] : []
}

export const handler = handlerOf(
  getKrMarket,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const rates = yield* ExchangeRates
    return Effect.fnUntraced(function*() {
      const now = yield* Clock.currentTimeMillis
      const stocks = yield* orAway(equities.market("KR"))
      const ofUsd = orAway(rates.rate({ pair: "usd_krw" }))
      // Fails if neither stocks nor the dollar's rate are available.
      const usd = stocks.told === null ? yield* Effect.catchTag(ofUsd, "NoData", () => stocks.away) : yield* ofUsd
      if (stocks.told === null && usd.told === null) return yield* stocks.away
      const before = usd.told === null ? null : yield* rates.rate({ pair: "usd_krw", time: now - dayMs }).pipe(
        Effect.map(({ value }) => value.rate),
        Effect.catchTag("NoData", () => Effect.succeed(null))
      )
      const rows = ofStocks(stocks.told?.value ?? null, now)
      const stood = [stocks.told, usd.told].flatMap((read) => read ?? [])
      const [first, ...others] = stood
      return {
        ...rows,
        usd_krw: usd.told === null ? null : ofDollar(usd.told, before),
        notes: [...stockNotes(stocks, rows), ...dollarNotes(usd, before)],
        ...provenanceOf(first!, ...others)
      }
    })
  })
)
