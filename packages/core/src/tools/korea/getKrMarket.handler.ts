import { Clock, Effect } from "effect"
import { indexRow, marketRow, namedIndexRow } from "../../equities/marketRows.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { ExchangeRates } from "../../market/ExchangeRates.ts"
import { dayMs } from "../../market/timeframe.ts"
import { handlerOf } from "../../tool/implement.ts"
import { instant, provenanceOf } from "../../tool/result.ts"
import { dailyRateNotes } from "./dailyRate.ts"
import { getKrMarket } from "./getKrMarket.ts"

export const handler = handlerOf(
  getKrMarket,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const rates = yield* ExchangeRates
    return Effect.fnUntraced(function*() {
      const now = yield* Clock.currentTimeMillis
      const read = yield* equities.market("KR")
      const usd = yield* rates.rate({ pair: "usd_krw" })
      const before = yield* rates.rate({ pair: "usd_krw", time: now - dayMs }).pipe(
        Effect.map(({ value }) => value.rate),
        Effect.catchTag("NoData", () => Effect.succeed(null))
      )
      const { foreignNetKrw, futures, indices } = read.value
      const indexOf = (name: string) => {
        const quote = indices.find(({ index }) => index === name)
        return quote === undefined ? null : indexRow(quote)
      }
      const [kospi, kosdaq] = [indexOf("KOSPI"), indexOf("KOSDAQ")]
      const notes: Array<string> = []
      const untold = Object.entries({ kospi, kosdaq, foreign_net_krw: foreignNetKrw })
        .flatMap(([name, value]) => value === null ? [name] : [])
      if (untold.length > 0) notes.push(`No source tells: ${untold.join(", ")}.`)
      notes.push(...dailyRateNotes(usd, "usd_krw does not tell"))
      if (before === null) notes.push("usd_krw.change_24h_pct is null: the rate of a day ago is not recorded.")
      return {
        kospi,
        kosdaq,
        usd_krw: {
          rate: usd.value.rate,
          change_24h_pct: before === null ? null : 100 * (usd.value.rate / before - 1),
          time: instant(usd.value.quotedAt)
        },
        ...marketRow(read.value),
        foreign_net_krw: foreignNetKrw,
        futures: futures.map(namedIndexRow),
        notes,
        ...provenanceOf(read, usd)
      }
    })
  })
)
