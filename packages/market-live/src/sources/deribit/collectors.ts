/**
 * What is recorded of implied volatility: Deribit's index of BTC and ETH, which has a past, and our own series at the
 * money of every coin with options, which begins when it is first collected.
 */
import { Compute, type ComputeError } from "@tapeline/core/engine"
import { dayMs, hourMs, type IvMethod, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { Collector, SeriesCollector } from "../../collect/index.ts"
import { atTheMoneyOf, recordedMaturities } from "./atTheMoney.ts"
import { deribitBook, deribitCoins } from "./names.ts"
import { coinsWithVolatilityIndex, Deribit, volatilityIndexDays } from "./venue.ts"

const source = "deribit"
const kind = pointsKinds.impliedVolatilities
type Column = keyof typeof kind["columns"]

/** As the store calls a series of volatility. */
export const volatilitySubject = (coin: string, method: IvMethod, maturityDays: number): string =>
  `${coin}:${method}:${maturityDays}`

/** Its first candle. */
const indexBegan = Date.parse("2021-03-24T00:00:00Z")

/** A page of the index, and as much as is recorded of its past: what rank and regime look back on, and some more. */
const indexHours = 900
const indexWantedMs = 2 * 365 * dayMs

/** An hour that it has not told by then has no index. */
const settledMs = 6 * hourMs

/** The index as it opened each hour. */
const indexCollector = (deribit: Deribit["Service"]): SeriesCollector<Column> => {
  const coins = new Map(
    coinsWithVolatilityIndex.map((coin) => [volatilitySubject(coin, "index", volatilityIndexDays), coin])
  )
  return {
    _tag: "series",
    source,
    name: "volatility index",
    kind,
    everyMs: hourMs,
    offsetMs: minuteMs,
    rowsAre: "instants",
    subjects: Effect.succeed([...coins.keys()].map((subject) => ({ subject, from: indexBegan }))),
    backfill: {
      reachesBackMs: 100 * 365 * dayMs,
      wantedMs: indexWantedMs,
      longestMs: indexHours * hourMs,
      ask: (subject, { from, to }) =>
        Effect.map(deribit.volatilityIndex({ coin: coins.get(subject)!, from, to }), ({ receivedAt, value }) => {
          // What is missing before its newest hour never comes, nor what is long over; another may be late.
          const newest = value.at(-1)?.time ?? -Infinity
          const settled = Math.floor((receivedAt - settledMs) / hourMs) * hourMs
          return { source, rows: value, until: Math.min(to, Math.max(from, newest + hourMs, settled)) }
        })
    }
  }
}

/** A chain that is older or newer than this is not of the hour. */
const lateMs = 5 * minuteMs

const notOfTheHour = new SourceUnavailable({
  source,
  failure: "unreachable",
  reason: "its chain is not of this hour",
  retryable: true
})

const notFitted = ({ message }: ComputeError): SourceUnavailable =>
  new SourceUnavailable({ source, failure: "unreachable", reason: message, retryable: true })

/**
 * At the money at each recorded maturity, as the chain of each full hour has it. Where a chain reaches around no such
 * maturity there is nothing, which is recorded as well: it is not missing.
 */
const atTheMoneyCollector = (
  compute: typeof Compute["Service"],
  deribit: Deribit["Service"],
  coin: string
): SeriesCollector<Column> => {
  const maturities = new Map(
    recordedMaturities.map((days) => [volatilitySubject(coin, "atm_interpolated", days), days])
  )
  return {
    _tag: "series",
    source,
    name: `implied volatility of ${coin}`,
    kind,
    everyMs: hourMs,
    offsetMs: 15_000,
    rowsAre: "instants",
    subjects: Effect.succeed([...maturities.keys()].map((subject) => ({ subject, from: 0 }))),
    snapshot: {
      lateMs,
      ask: Effect.fnUntraced(function*(subjects, at) {
        const { value: chain } = yield* deribit.chain(deribitBook(coin)!)
        if (chain === null) return []
        if (chain.time < at || chain.time - at > lateMs) return yield* notOfTheHour
        const own = yield* Effect.mapError(atTheMoneyOf(compute, chain), notFitted)
        const found = new Map(own.map(({ ivPct, maturityDays }) => [maturityDays, ivPct]))
        return subjects.map((subject) => {
          const ivPct = found.get(maturities.get(subject)!)
          return { subject, source, rows: ivPct === undefined ? [] : [{ time: at, ivPct }] }
        })
      })
    }
  }
}

/** What is collected of implied volatility. */
export const deribitVolatilities: Effect.Effect<ReadonlyArray<Collector>, never, Deribit> = Effect.gen(
  function*() {
    const deribit = yield* Deribit
    const compute = yield* Compute
    return [indexCollector(deribit), ...deribitCoins.map((coin) => atTheMoneyCollector(compute, deribit, coin))]
  }
)
