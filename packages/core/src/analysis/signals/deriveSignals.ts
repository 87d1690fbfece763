import { Effect } from "effect"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import { makeReading, mapReading, type Reading, sourcesOf } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { findKnownUntil, type RecordedHours } from "./dataCoverage.ts"
import { scoreRecords, type SeriesRecord } from "./dayCache/seriesRecords.ts"
import {
  coinConcurrency,
  type Derivation,
  formatCoins,
  getLastFull,
  listCoinsSince,
  makeUnrecordedError,
  requireScored
} from "./derivation.ts"
import { computeHits, hitHorizons } from "./hitRate.ts"
import { maxLagMs, orEmptyList } from "./readings.ts"
import type { RegimeHour } from "./regime.ts"
import { getBarsBetween, toScoreColumns } from "./score.ts"
import {
  countMissingHours,
  determineOutcome,
  findSignals,
  getReturnAfter,
  signalRule,
  signalWarmUpHours,
  type SignalWithOutcome
} from "./signal.ts"

export const hitRateDays = 90

/** Returns the opening price of the running candle that opened at `time`, or undefined before its first trade. */
const readRunningOpen = (prices: CoinPrices["Service"], coin: string, time: number) =>
  Effect.map(
    orEmptyList(prices.candleRange({ coin, timeframe: "1h", from: time, to: time + 1 })),
    (candles) => mapReading(candles, ([candle]) => candle?.open)
  )

/**
 * Selects the signals that opened in `(to - hours, to]`. `regimes` contains the market's regimes in the same interval.
 */
interface SignalQuery {
  readonly hours: number
  readonly to: number
  readonly regimes: Reading<ReadonlyMap<number, RegimeHour>>
}

/** Returns a coin's signals, their outcomes, and the closed candles from which the outcomes are computed. */
const readCoinSignals = Effect.fnUntraced(function*(
  { prices, readScores }: Derivation,
  { coin, delistedAt, listedAt }: Pick<Coin, "coin" | "listedAt" | "delistedAt">,
  { hours, regimes, to }: SignalQuery,
  record: SeriesRecord
) {
  const from = to - hours * hourMs + hourMs
  const rows = yield* readScores(coin, from - (signalWarmUpHours + 1) * hourMs, to, record)
  const scores = toScoreColumns(rows)
  const getCloseTime = (i: number): number => rows.from + (i + 1) * hourMs
  const newest = getCloseTime(scores.open.findLastIndex((open) => !Number.isNaN(open)))
  const recent = newest > rows.from && to - newest < maxLagMs ? newest : undefined
  const currentOpen = recent === undefined ? undefined : (yield* readRunningOpen(prices, coin, recent)).value
  const getOpenAt = (time: number): number | undefined => {
    if (time === recent) return currentOpen
    const open = scores.open[Math.round((time - rows.from) / hourMs)]
    return open === undefined || Number.isNaN(open) ? undefined : open
  }
  const openedSignals = findSignals(coin, scores, from, getOpenAt, (time) => regimes.value.get(time) ?? null)
  // A signal times out only after its hours are stored, or if its market has ended.
  const knownTime = recent ?? to
  const marketEnd = Math.min(knownTime, delistedAt === null ? Infinity : Math.floor(delistedAt / hourMs) * hourMs)
  const signals = openedSignals.map((opened) => {
    const candles = getBarsBetween(rows, opened.openedAt, opened.openedAt + signalRule.maxHours * hourMs)
    const result = determineOutcome(opened, candles, knownTime)
    const signal: SignalWithOutcome = {
      ...opened,
      result,
      missingHours: countMissingHours(opened, result, candles, marketEnd)
    }
    return { signal, candles }
  })
  const recordedHours: RecordedHours = {
    coin,
    listedAt,
    delistedAt,
    newestClose: newest > rows.from ? newest : undefined
  }
  return { signals, recordedHours, sources: sourcesOf([rows, regimes]) }
})

/** Returns the time up to which the signals of the coins are known, or fails if hours were due but none is recorded. */
const getKnownUntil = Effect.fnUntraced(function*(
  coins: ReadonlyArray<{ readonly recordedHours: RecordedHours }>,
  to: number
) {
  const { coinsWithoutData, until } = findKnownUntil(coins.map(({ recordedHours }) => recordedHours), to)
  return until === undefined
    ? yield* makeUnrecordedError(formatCoins(coinsWithoutData), "signals")
    : { coinsWithoutData, until }
})

const listRequestedCoins = (prices: CoinPrices["Service"], coin: string | undefined, since: number) =>
  coin === undefined
    ? listCoinsSince(prices, since)
    : Effect.map(requireScored(prices, coin), (facts) => [facts])

/**
 * Returns the signals of one coin or all coins, grouped by coin. The signals opened in the `hours` hours up to `until`.
 */
const readEvaluatedSignals = Effect.fnUntraced(function*(
  derivation: Derivation,
  coin: string | undefined,
  hours: number,
  until: number
) {
  const { runAfterYield, prices, readRegimes } = derivation
  const coins = yield* listRequestedCoins(prices, coin, until - hours * hourMs)
  const marketRegimes = yield* readRegimes(until - hours * hourMs, until)
  const signalQuery: SignalQuery = {
    hours,
    to: until,
    regimes: mapReading(marketRegimes, (all) => new Map(all.map((regime) => [regime.time, regime])))
  }
  const record = yield* scoreRecords(derivation, coins.map(({ coin }) => coin))
  return yield* Effect.forEach(
    coins,
    (facts) => runAfterYield(readCoinSignals(derivation, facts, signalQuery, record(facts.coin))),
    { concurrency: coinConcurrency }
  )
})

const listSignals = (
  coins: ReadonlyArray<{ readonly signals: ReadonlyArray<{ readonly signal: SignalWithOutcome }> }>
): Array<SignalWithOutcome> => coins.flatMap(({ signals }) => signals.map(({ signal }) => signal))

/** Returns a coin's signals with final outcomes. The maximum duration of each signal ended in `(from, to]`. */
export const readSettledSignals = Effect.fnUntraced(
  function*(derivation: Derivation, coin: string, from: number, to: number) {
    const { maxHours } = signalRule
    const coins = yield* readEvaluatedSignals(derivation, coin, (to - from) / hourMs + maxHours, to)
    return listSignals(coins).filter(({ openedAt }) => openedAt <= to - maxHours * hourMs)
  }
)

export const makeSignalReaders = (derivation: Derivation) => {
  const { readRegimes } = derivation

  const regime = Effect.gen(function*() {
    const to = yield* getLastFull(hourMs)
    let found = yield* readRegimes(to - hourMs, to)
    if (found.value.length === 0) found = yield* readRegimes(to - maxLagMs, to - hourMs)
    const last = found.value.at(-1)
    return last === undefined
      ? yield* new NoData({ subject: "the market's regime", reason: { key: "none_regime" } })
      : mapReading(found, () => last)
  })

  const readSignals = (coin: string | undefined, hours: number, until: number) =>
    readEvaluatedSignals(derivation, coin, hours, until)

  const signals = Effect.fnUntraced(function*(query: { readonly coin?: string; readonly hours: number }) {
    const to = yield* getLastFull(hourMs)
    const coins = yield* readSignals(query.coin, query.hours, to)
    const { coinsWithoutData, until } = yield* getKnownUntil(coins, to)
    const sorted = listSignals(coins).sort((a, b) => a.openedAt - b.openedAt || (a.coin < b.coin ? -1 : 1))
    return makeReading({ signals: sorted, until, coinsWithoutData }, sourcesOf(coins), until)
  })

  const hitRates = Effect.fnUntraced(function*(query: { readonly coin?: string }) {
    const to = yield* getLastFull(hourMs)
    const hours = hitRateDays * 24
    const found = yield* Effect.map(
      readSignals(query.coin, hours, to),
      (all) =>
        all.map(({ recordedHours, signals, sources }) => ({
          recordedHours,
          sources,
          signals: signals.length,
          returns: hitHorizons.map((horizon) =>
            signals.flatMap(({ candles, signal }) => getReturnAfter(signal, candles, horizon) ?? [])
          )
        }))
    )
    const { coinsWithoutData, until } = yield* getKnownUntil(found, to)
    return makeReading(
      {
        horizons: hitHorizons.map((horizon, h) => computeHits(horizon, found.flatMap(({ returns }) => returns[h]!))),
        signals: found.reduce((sum, { signals }) => sum + signals, 0),
        from: to - hours * hourMs,
        until,
        coinsWithoutData
      },
      sourcesOf(found),
      until
    )
  })

  return { regime, signals, hitRates }
}
