import { Effect } from "effect"
import { NoData } from "../../market/errors.ts"
import { reading } from "../../market/reading.ts"
import { dayMs, minuteMs } from "../../market/timeframe.ts"
import { closedOnly } from "./columns.ts"
import { coinsSince, concurrency, type Derivation, lastFull } from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { fearGreedLayout, fearGreedOf, fearGreedRows, fearGreedWarmUpDays } from "./fearGreed.ts"
import { orEmpty, orNoPoints, orUnlisted } from "./readings.ts"
import { readByDay } from "./remembered/readByDay.ts"
import { type FearGreedRecord, fearGreedRecord } from "./remembered/records.ts"

/** Days of candles for the breadth and returns of other coins, and for BTC's funding. */
const othersDays = 33
const fundingDays = 34

/**
 * Creates the reader of the fear and greed index by UTC day.
 *
 * @returns a function that reads the days that closed in `(from, to]`, as rows in `fearGreedLayout`.
 */
export const makeFearGreedRows = ({ derivatives, oneByOne, prices, remembering, social }: Derivation) => {
  /** Computes the days that closed in `(from, to]`. */
  const compute = Effect.fnUntraced(function*(_: string, from: number, to: number, { countUntil }: FearGreedRecord) {
    const range = { timeframe: "1d", from: from - fearGreedWarmUpDays * dayMs, to } as const
    const btc = yield* oneByOne(orUnlisted(orEmpty(prices.candleRange({ coin: "BTC", ...range })), []))
    const coins = (yield* coinsSince(prices, from)).filter(({ coin }) => coin !== "BTC")
    const since = from - othersDays * dayMs
    const others = yield* Effect.forEach(
      coins.filter(({ coin }) => (countUntil.get(coin) ?? to) > since),
      ({ coin }) => {
        const until = Math.min(to, countUntil.get(coin) ?? to)
        return oneByOne(orEmpty(prices.candleRange({ coin, ...range, from: since, to: until })))
      },
      { concurrency }
    )
    const prints = yield* orUnlisted(
      orEmpty(derivatives.fundingPrints({ coin: "BTC", from: from - fundingDays * dayMs, to: to + minuteMs })),
      []
    )
    const posts = yield* orUnlisted(
      orNoPoints(social.activity({ coin: "BTC", from, to, stepMs: dayMs })),
      { points: [], gaps: [] }
    )
    const market = {
      btc: closedOnly(btc.value),
      others: others.map(({ value }) => closedOnly(value)),
      fundingPrints: prints.value,
      social: posts.value.points
    }
    return fearGreedRows(market, from, to)
  })

  return readByDay<DerivedError, FearGreedRecord>({
    layout: fearGreedLayout,
    record: () => fearGreedRecord({ derivatives, prices }, social),
    compute
  }, remembering)
}

/** @returns a function that reads the last `days` days of the index. The newest is as of the last 00:00 UTC. */
export const makeDailyFearGreed = (derivation: Derivation) => {
  const read = makeFearGreedRows(derivation)

  return Effect.fnUntraced(function*(days: number) {
    const to = yield* lastFull(dayMs)
    const rows = yield* read("market", to - days * dayMs, to)
    const found = fearGreedOf(rows)
    const last = found.at(-1)
    return last === undefined
      ? yield* new NoData({ subject: "fear and greed", reason: { key: "none_fear_greed" } })
      : reading(found, rows.sources, last.time)
  })
}
