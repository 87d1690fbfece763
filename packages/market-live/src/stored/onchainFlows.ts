import { type DexActivity, hourMs, NoData, OnchainFlows } from "@tapeline/core/market"
import { MarketStore, pointsKinds, subtractRanges, toRanges } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { fiveMinutesMs } from "./candles.ts"
import { findListedCoin, noDataError } from "./coins.ts"
import { maxBucketDelayMs, selectBuckets, splitGaps, wholeIntervalMissing } from "./gaps.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"

/** The sources that count only the trades of a coin's largest pools. */
const largestPoolsSources: ReadonlyArray<string> = ["geckoterminal"]

/**
 * The length of the recent period in which lost trades show that a coin's pools trade too fast for the source. An older
 * loss may be the result of an outage, after which the source still provides the trades of about one day.
 */
const recentLossMs = 12 * hourMs

/** Returns the error for a coin whose pools trade faster than the source reports. */
const tradesTooFastError = (coin: string): NoData =>
  new NoData({ subject: `${coin} on-chain trades`, reason: { key: "none_trades_too_fast", params: { coin } } })

/** Returns whether the coin's pools trade too fast for the source. */
const isTooFast = Effect.fnUntraced(
  function*(store: MarketStore["Service"], coin: string, now: number, knownUntil: number) {
    const query = { kind: pointsKinds.dexActivity, subjects: [coin], from: now - recentLossMs, to: knownUntil }
    const gaps = (yield* withReadErrors(store.gaps(query))).get(coin)
    const lostUntil = gaps?.lost.at(-1)?.to
    if (gaps === undefined || lostUntil === undefined) return false
    // If trades were recorded after the last loss, the pools do not trade too fast.
    return subtractRanges([{ from: lostUntil, to: knownUntil }], toRanges(gaps.missing)).length === 0
  }
)

/** Implements `OnchainFlows` with complete five-minute buckets from the market store. */
export const storedOnchainFlows: Layer.Layer<OnchainFlows, never, MarketStore> = Layer.effect(
  OnchainFlows,
  Effect.map(MarketStore, (store) => ({
    dexActivity: Effect.fnUntraced(function*(query) {
      const { coin: name, stepMs } = query
      const knownUntil = Math.floor((yield* Clock.currentTimeMillis) / fiveMinutesMs) * fiveMinutesMs
      const from = Math.floor(query.from / stepMs) * stepMs
      const to = Math.max(from, Math.min(Math.ceil(query.to / stepMs) * stepMs, knownUntil))
      const [{ coin, now }, all] = yield* inParallel(
        findListedCoin(store, name),
        withReadErrors(store.foldedPoints({ kind: pointsKinds.dexActivity, subjects: [name], from, to, stepMs }))
      )
      const read = all.get(name)
      const requested = { from: query.from, to: Math.min(query.to, to), stepMs }
      const holes = splitGaps(read?.gaps ?? wholeIntervalMissing({ from, to }), requested, coin, now, maxBucketDelayMs)
      const sums = new Map((read?.points ?? []).map((point) => [point.time, point]))
      const points = selectBuckets(requested, holes, coin, knownUntil, "with current").flatMap(
        (time): ReadonlyArray<DexActivity> => {
          const { buyUsd, sellUsd, trades } = sums.get(time) ?? { buyUsd: 0, sellUsd: 0, trades: 0 }
          return buyUsd === null || sellUsd === null || trades === null ? [] : [{ time, buyUsd, sellUsd, trades }]
        }
      )
      const last = points.at(-1)
      if (read === undefined || last === undefined) {
        return yield* (yield* isTooFast(store, name, now, knownUntil))
          ? tradesTooFastError(name)
          : noDataError(coin, "on-chain trades", query)
      }
      const sources = read.sources.length === 0 ? read.record.sources : read.sources
      const known = Math.min(last.time + stepMs, holes.pending[0]?.from ?? knownUntil)
      const coverage = sources.some((one) => largestPoolsSources.includes(one)) ? "largest_pools" : "whole"
      return makeStoredReading({ points, gaps: holes.gaps, coverage }, sources, known)
    })
  }))
)
