import { Effect } from "effect"
import { NoData } from "../../market/errors.ts"
import { makeReading } from "../../market/reading.ts"
import { dayMs, minuteMs } from "../../market/timeframe.ts"
import { filterClosed } from "./candleColumns.ts"
import { makeCachedReader } from "./dayCache/cachedReads.ts"
import { type FearGreedRecord, fearGreedRecord } from "./dayCache/seriesRecords.ts"
import { coinConcurrency, type Derivation, getLastFull, listCoinsSince } from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { computeFearGreedRows, decodeFearGreed, fearGreedLayout, fearGreedWarmUpDays } from "./fearGreed.ts"
import { orEmptyList, orEmptySeries, orIfUnlisted } from "./readings.ts"

const otherCoinsDays = 33
const fundingDays = 34

/**
 * Creates the reader of the fear and greed index by UTC day.
 *
 * @returns a function that reads the days that closed in `(from, to]`, as rows in `fearGreedLayout`.
 */
export const makeFearGreedRowReader = ({ derivatives, runAfterYield, prices, dayCaches, social }: Derivation) => {
  const compute = Effect.fnUntraced(
    function*(_: string, from: number, to: number, { lastDayByLaggingCoin }: FearGreedRecord) {
      const range = { timeframe: "1d", from: from - fearGreedWarmUpDays * dayMs, to } as const
      const btc = yield* runAfterYield(orIfUnlisted(orEmptyList(prices.candleRange({ coin: "BTC", ...range })), []))
      const coins = (yield* listCoinsSince(prices, from)).filter(({ coin }) => coin !== "BTC")
      const since = from - otherCoinsDays * dayMs
      const others = yield* Effect.forEach(
        coins.filter(({ coin }) => (lastDayByLaggingCoin.get(coin) ?? to) > since),
        ({ coin }) => {
          const until = Math.min(to, lastDayByLaggingCoin.get(coin) ?? to)
          return runAfterYield(orEmptyList(prices.candleRange({ coin, ...range, from: since, to: until })))
        },
        { concurrency: coinConcurrency }
      )
      const payments = yield* orIfUnlisted(
        orEmptyList(derivatives.fundingPayments({ coin: "BTC", from: from - fundingDays * dayMs, to: to + minuteMs })),
        []
      )
      const posts = yield* orIfUnlisted(
        orEmptySeries(social.activity({ coin: "BTC", from, to, stepMs: dayMs })),
        { points: [], gaps: [] }
      )
      const market = {
        btc: filterClosed(btc.value),
        others: others.map(({ value }) => filterClosed(value)),
        fundingPayments: payments.value,
        social: posts.value.points
      }
      return computeFearGreedRows(market, from, to)
    }
  )

  return makeCachedReader<DerivedError, FearGreedRecord>({
    layout: fearGreedLayout,
    record: () => fearGreedRecord({ derivatives, prices }, social),
    compute
  }, dayCaches)
}

/** @returns a function that reads the fear and greed index of the last `days` days, the newest at 00:00 UTC. */
export const makeFearGreedReader = (derivation: Derivation) => {
  const readRows = makeFearGreedRowReader(derivation)

  return Effect.fnUntraced(function*(days: number) {
    const to = yield* getLastFull(dayMs)
    const rows = yield* readRows("market", to - days * dayMs, to)
    const values = decodeFearGreed(rows)
    const last = values.at(-1)
    return last === undefined
      ? yield* new NoData({ subject: "fear and greed", reason: { key: "none_fear_greed" } })
      : makeReading(values, rows.sources, last.time)
  })
}
