import { Context, Effect, Layer, Semaphore } from "effect"
import type { CoinDerivatives } from "../../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../../market/CoinPrices.ts"
import type { SocialFeed } from "../../../market/SocialFeed.ts"
import { dayMs } from "../../../market/timeframe.ts"
import { makeFearGreedRowReader } from "../dailyFearGreed.ts"
import { makeDigest } from "../dayCache/digest.ts"
import { MemoryDayCache } from "../dayCache/MemoryDayCache.ts"
import { RecentRowCache } from "../dayCache/RecentRowCache.ts"
import { fearGreedRecord, regimeRecord, scoreRecord, type SeriesRecord } from "../dayCache/seriesRecords.ts"
import { type DayWrite, encodeDays } from "../dayCache/sharedDays.ts"
import { coinConcurrency, type Derivation, listCoinsSince } from "../derivation.ts"
import { DerivedDays, type DerivedDaysUnavailable } from "../DerivedDays.ts"
import type { DerivedError } from "../derivedError.ts"
import { readSettledSignals } from "../deriveSignals.ts"
import { fearGreedWarmUpDays } from "../fearGreed.ts"
import { makeDerivation } from "../makeDerivedStore.ts"
import { orEmptyList } from "../readings.ts"
import { rules } from "../rules.ts"

/** The part of a derived series that covers the times in `(from, to]`. */
export interface DerivedPart {
  /** The name of a rule and its version, such as `score/3`. */
  readonly rule: string
  /** The ticker of a coin, or `market` for a series of the whole market. */
  readonly series: string
  readonly from: number
  readonly to: number
}

/** The result of recomputing a part of the derived data. */
export interface RecomputedPart {
  /** Identifies the version of the raw data from which the part was computed. */
  readonly revision: string
  /** The digest of all values of the part. Equal digests mean exactly equal values. */
  readonly digest: string
  readonly days: number
}

type RecomputeError = DerivedError | DerivedDaysUnavailable

/** The maximum length of a part, in days. The limit bounds the duration and the memory use of a computation. */
const daysPerPart = 31

const splitIntoPeriods = (from: number, to: number): ReadonlyArray<{ readonly from: number; readonly to: number }> => {
  const periods: Array<{ readonly from: number; readonly to: number }> = []
  for (let start = from; start < to; start += daysPerPart * dayMs) {
    periods.push({ from: start, to: Math.min(to, start + daysPerPart * dayMs) })
  }
  return periods
}

/**
 * Recomputes derived data from the raw series and replaces the stored values. Stored values are not read.
 *
 * - The values of a part depend only on its rule and on the raw series at its `revision`, so each process computes an
 *   equal `digest`.
 * - Recomputed values are stored up to the watermark of the raw series. Values beyond the watermark are computed on
 *   request.
 * - Signals and their outcomes are functions of scores and regimes and are not stored. A part of the signal rule
 *   contains the signals that reached their maximum duration in the part's interval. A part of the signal rule has a
 *   digest, but stores no days.
 */
export class Recomputation extends Context.Service<Recomputation, {
  /**
   * Returns all parts of the derived data from the UTC day of `from` up to the closed hour `to`, oldest first. A series
   * has no parts before the day of its first recorded candle.
   */
  readonly parts: (interval: {
    readonly from: number
    readonly to: number
  }) => Effect.Effect<ReadonlyArray<DerivedPart>, DerivedError>

  /** Computes a part and stores its days. Only one call of `recompute` runs at a time. */
  readonly recompute: (part: DerivedPart) => Effect.Effect<RecomputedPart, RecomputeError>

  /** Returns the current revision of the raw data of a part. */
  readonly revision: (part: DerivedPart) => Effect.Effect<string, DerivedError>

  /** Returns whether the store still contains the days of a recomputed part. A crash of the database may lose days. */
  readonly isStored: (part: DerivedPart, recomputed: RecomputedPart) => Effect.Effect<boolean, DerivedDaysUnavailable>
}>()("@tapeline/core/signals/Recomputation") {
  static readonly layer: Layer.Layer<Recomputation, never, CoinPrices | CoinDerivatives | SocialFeed> = Layer.effect(
    Recomputation,
    Effect.suspend(() => make)
  )
}

const isSameRule = (part: DerivedPart, rule: string): boolean => part.rule === rule

const readPartRecord = (derivation: Derivation, part: DerivedPart): Effect.Effect<SeriesRecord, DerivedError> => {
  if (isSameRule(part, rules.regime)) return regimeRecord(derivation)
  if (isSameRule(part, rules.fearGreed)) return fearGreedRecord(derivation, derivation.social)
  if (isSameRule(part, rules.score)) return scoreRecord(derivation, part.series)
  return Effect.zipWith(scoreRecord(derivation, part.series), regimeRecord(derivation), (scores, regimes) => ({
    ...scores,
    revision: makeDigest([scores.revision, regimes.revision])
  }))
}

/** Returns the first UTC day at or after `since` that has a candle of a coin, or undefined if no candle exists. */
const findFirstDay = Effect.fnUntraced(
  function*({ runAfterYield, prices }: Derivation, coin: string, since: number, end: number) {
    for (const { from, to } of splitIntoPeriods(since, end)) {
      const { value: [first] } = yield* runAfterYield(
        orEmptyList(prices.candleRange({ coin, timeframe: "1h", from, to }))
      )
      if (first !== undefined) return Math.floor(first.time / dayMs) * dayMs
    }
    return undefined
  }
)

/** Returns coins, each with the day of its first candle, or with `from` if the first candle is earlier. */
const listCoinStarts = Effect.fnUntraced(function*(derivation: Derivation, from: number, to: number) {
  const coins = yield* listCoinsSince(derivation.prices, from)
  const { value: recorded } = yield* derivation.prices.watermarks(coins.map(({ coin }) => coin))
  const found = yield* Effect.forEach(
    coins.filter(({ coin }) => recorded.has(coin)),
    (coin) => {
      const listedDay = Math.floor(coin.listedAt / dayMs) * dayMs
      // The search begins earlier by the longest warm-up of any rule, so that values stored during an outage are
      // computed again.
      const since = Math.max(listedDay, from - fearGreedWarmUpDays * dayMs)
      return Effect.map(
        findFirstDay(derivation, coin.coin, since, to),
        (first) => first === undefined ? [] : [{ coin, from: Math.max(from, first) }]
      )
    },
    { concurrency: coinConcurrency }
  )
  // The coins are sorted by name, because the digest depends on their order, and their order by market value changes
  // every minute.
  return found.flat().sort((a, b) => a.coin.coin < b.coin.coin ? -1 : 1)
})

const listParts = Effect.fnUntraced(
  function*(derivation: Derivation, { from, to }: { readonly from: number; readonly to: number }) {
    const coinStarts = yield* listCoinStarts(derivation, Math.floor(from / dayMs) * dayMs, to)
    return splitIntoPeriods(Math.min(...coinStarts.map(({ from }) => from)), to).flatMap((period) => {
      const periodParts = coinStarts.flatMap(({ coin, from }) =>
        from < period.to && (coin.delistedAt === null || coin.delistedAt > period.from)
          ? [{ series: coin.coin, from: Math.max(period.from, from), to: period.to }]
          : []
      )
      return [
        // The rules of the whole market need the candles of BTC, so their parts begin with BTC's candles.
        ...periodParts.filter(({ series }) => series === "BTC").flatMap(({ from }) => {
          const days = { from, to: Math.floor(period.to / dayMs) * dayMs }
          return [
            { rule: rules.regime, series: "market", from, to: period.to },
            ...days.from < days.to ? [{ rule: rules.fearGreed, series: "market", ...days }] : []
          ]
        }),
        ...periodParts.flatMap((part) => [{ rule: rules.score, ...part }, { rule: rules.signal, ...part }])
      ]
    })
  }
)

const make = Effect.gen(function*() {
  const store = yield* DerivedDays
  // Stored values are never read, and no rows are cached between two parts.
  let dayWrites: Array<DayWrite> = []
  const derivation = yield* makeDerivation({
    memory: new MemoryDayCache(0),
    recent: new RecentRowCache(0),
    shared: { isShared: true, readDays: () => Effect.succeed([]), writeDays: (put) => void dayWrites.push(put) }
  })
  const fearGreed = makeFearGreedRowReader(derivation)

  const compute = (part: DerivedPart): Effect.Effect<unknown, DerivedError> => {
    const { from, series, to } = part
    if (isSameRule(part, rules.regime)) return derivation.readRegimes(from, to)
    if (isSameRule(part, rules.fearGreed)) return fearGreed(series, from, to)
    return isSameRule(part, rules.score)
      ? derivation.readScores(series, from, to)
      : readSettledSignals(derivation, series, from, to)
  }

  const recompute = Effect.fnUntraced(function*(part: DerivedPart): Effect.fn.Return<RecomputedPart, RecomputeError> {
    dayWrites = []
    const isStored = !isSameRule(part, rules.signal)
    const { revision } = yield* readPartRecord(derivation, part)
    const computed = yield* compute(part)
    const partWrites = isStored ? dayWrites : []
    const encodedWrites = partWrites.map((put) => ({ key: put.key, days: encodeDays(put) }))
    for (const { days, key } of encodedWrites) yield* store.put({ ...key, days })
    const values = encodedWrites.flatMap(({ days }) =>
      days.map(({ bytes, day, until }) => [day, until, Array.from(bytes)])
    )
    return {
      revision: encodedWrites.at(-1)?.key.revision ?? revision,
      digest: makeDigest(isStored ? values : computed),
      days: encodedWrites.reduce((sum, { days }) => sum + days.length, 0)
    }
  })

  const semaphore = Semaphore.makeUnsafe(1)
  return {
    parts: (interval: { readonly from: number; readonly to: number }) => listParts(derivation, interval),
    recompute: (part: DerivedPart) => semaphore.withPermit(recompute(part)),
    revision: (part: DerivedPart) => Effect.map(readPartRecord(derivation, part), ({ revision }) => revision),
    // All days of a part have equal rule and series.
    isStored: ({ from, rule, series, to }: DerivedPart, { days, revision }: RecomputedPart) =>
      days === 0
        ? Effect.succeed(true)
        : Effect.map(store.get({ rule, series, revision, from, to }), (found) => found.length >= days)
  }
})
