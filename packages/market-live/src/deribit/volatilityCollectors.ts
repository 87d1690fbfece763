/** Collects Deribit's volatility index of BTC and ETH, and at-the-money volatility of every coin with options. */
import { Compute, type ComputeError } from "@tapeline/core/engine"
import { dayMs, hourMs, type IvMethod, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { Collector, SeriesCollector } from "../collect/index.ts"
import { atTheMoneyOf, recordedMaturities } from "./atTheMoney.ts"
import { coinsWithVolatilityIndex, Deribit, volatilityIndexDays } from "./Deribit.ts"
import { deribitBook, deribitCoins } from "./instruments.ts"

const source = "deribit"
const kind = pointsKinds.impliedVolatilities
type Column = keyof typeof kind["columns"]

/** Returns the name under which the store keeps a volatility series. */
export const volatilitySubject = (coin: string, method: IvMethod, maturityDays: number): string =>
  `${coin}:${method}:${maturityDays}`

const indexStartedAt = Date.parse("2021-03-24T00:00:00Z")

const indexPageHours = 900
const indexLookbackMs = 2 * 365 * dayMs

/** The age at which a missing hour of the index counts as empty instead of late. */
const settledMs = 6 * hourMs

const makeIndexCollector = (deribit: Deribit["Service"]): SeriesCollector<Column> => {
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
    rowTimes: "instants",
    subjects: Effect.succeed([...coins.keys()].map((subject) => ({ subject, from: indexStartedAt }))),
    backfill: {
      sourceRetentionMs: 100 * 365 * dayMs,
      lookbackMs: indexLookbackMs,
      maxIntervalMs: indexPageHours * hourMs,
      fetch: (subject, { from, to }) =>
        Effect.map(deribit.volatilityIndex({ coin: coins.get(subject)!, from, to }), ({ receivedAt, value }) => {
          // A missing hourly value will never arrive if a newer value exists or if the hour is older than `settledMs`.
          const newest = value.at(-1)?.time ?? -Infinity
          const settled = Math.floor((receivedAt - settledMs) / hourMs) * hourMs
          return { source, rows: value, until: Math.min(to, Math.max(from, newest + hourMs, settled)) }
        })
    }
  }
}

/** The maximum delay after a full hour at which an option chain is still recorded for that hour. */
const maxDelayMs = 5 * minuteMs

const staleChain = new SourceUnavailable({
  source,
  failure: "unreachable",
  reason: "its option chain is not from the current hour",
  retryable: true
})

const toSourceError = ({ message }: ComputeError): SourceUnavailable =>
  new SourceUnavailable({ source, failure: "unreachable", reason: message, retryable: true })

/**
 * Collects at-the-money volatility at each recorded maturity. A maturity that the option chain does not cover gets no
 * value.
 */
const makeAtTheMoneyCollector = (
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
    rowTimes: "instants",
    subjects: Effect.succeed([...maturities.keys()].map((subject) => ({ subject, from: 0 }))),
    snapshot: {
      maxDelayMs,
      fetch: Effect.fnUntraced(function*(subjects, at) {
        const { value: chain } = yield* deribit.chain(deribitBook(coin)!)
        if (chain === null) return []
        if (chain.time < at || chain.time - at > maxDelayMs) return yield* staleChain
        const own = yield* Effect.mapError(atTheMoneyOf(compute, chain), toSourceError)
        const found = new Map(own.map(({ ivPct, maturityDays }) => [maturityDays, ivPct]))
        return subjects.map((subject) => {
          const ivPct = found.get(maturities.get(subject)!)
          return { subject, source, rows: ivPct === undefined ? [] : [{ time: at, ivPct }] }
        })
      })
    }
  }
}

export const deribitVolatilityCollectors: Effect.Effect<ReadonlyArray<Collector>, never, Deribit> = Effect.gen(
  function*() {
    const deribit = yield* Deribit
    const compute = yield* Compute
    return [makeIndexCollector(deribit), ...deribitCoins.map((coin) => makeAtTheMoneyCollector(compute, deribit, coin))]
  }
)
