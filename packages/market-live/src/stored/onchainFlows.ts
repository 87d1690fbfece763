import { type DexActivity, hourMs, NoData, OnchainFlows } from "@tapeline/core/market"
import { MarketStore, pointsKinds, ranges, without } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { asked, both, readingOf } from "./asking.ts"
import { fineMs } from "./candles.ts"
import { listedCoin, nothingOf } from "./facts.ts"
import { allMissing, bucketAwaitedMs, lacking, toldBuckets } from "./gaps.ts"

/** Sources that count only the trades of a coin's largest pools. */
const ofLargestPools: ReadonlyArray<string> = ["geckoterminal"]

/**
 * The period of a recent loss. Data that an outage delayed is awaited for a day, so a loss within this period has
 * another cause.
 */
const latelyMs = 12 * hourMs

/** The error for a coin whose pools trade faster than their source reports. */
const tooFast = (coin: string): NoData =>
  new NoData({ subject: `${coin} on-chain trades`, reason: { key: "none_trades_too_fast", params: { coin } } })

/**
 * Whether the pools of a coin trade too fast: the last recent loss is followed by no data. After an outage, data
 * follows again.
 */
const isTooFast = (store: MarketStore["Service"], coin: string, now: number, seen: number) =>
  Effect.gen(function*() {
    const query = { kind: pointsKinds.dexActivity, subjects: [coin], from: now - latelyMs, to: seen }
    const gaps = (yield* asked(store.gaps(query))).get(coin)
    const lostUntil = gaps?.lost.at(-1)?.to
    if (gaps === undefined || lostUntil === undefined) return false
    return without([{ from: lostUntil, to: seen }], ranges(gaps.missing)).length === 0
  })

/** `OnchainFlows` over the service's own store, which has whole buckets of five minutes. */
export const storedOnchainFlows: Layer.Layer<OnchainFlows, never, MarketStore> = Layer.effect(
  OnchainFlows,
  Effect.map(MarketStore, (store) => ({
    dexActivity: Effect.fnUntraced(function*(query) {
      const { coin: name, stepMs } = query
      const seen = Math.floor((yield* Clock.currentTimeMillis) / fineMs) * fineMs
      const from = Math.floor(query.from / stepMs) * stepMs
      const to = Math.max(from, Math.min(Math.ceil(query.to / stepMs) * stepMs, seen))
      const [{ coin, now }, all] = yield* both(
        listedCoin(store, name),
        asked(store.folded({ kind: pointsKinds.dexActivity, subjects: [name], from, to, stepMs }))
      )
      const read = all.get(name)
      const asking = { from: query.from, to: Math.min(query.to, to), stepMs }
      const lacks = lacking(read?.gaps ?? allMissing({ from, to }), asking, coin, now, bucketAwaitedMs)
      const sums = new Map((read?.points ?? []).map((point) => [point.time, point]))
      const points = toldBuckets(asking, lacks, coin, seen, "running told").flatMap(
        (time): ReadonlyArray<DexActivity> => {
          const { buyUsd, sellUsd, trades } = sums.get(time) ?? { buyUsd: 0, sellUsd: 0, trades: 0 }
          return buyUsd === null || sellUsd === null || trades === null ? [] : [{ time, buyUsd, sellUsd, trades }]
        }
      )
      const last = points.at(-1)
      if (read === undefined || last === undefined) {
        return yield* (yield* isTooFast(store, name, now, seen))
          ? tooFast(name)
          : nothingOf(coin, "on-chain trades", query)
      }
      const sources = read.sources.length === 0 ? read.record.sources : read.sources
      const known = Math.min(last.time + stepMs, lacks.awaited[0]?.from ?? seen)
      const coverage = sources.some((one) => ofLargestPools.includes(one)) ? "largest_pools" : "whole"
      return readingOf({ points, gaps: lacks.gaps, coverage }, sources, known)
    })
  }))
)
