/**
 * Counts on-chain trades in five-minute buckets, from the newest 300 trades of each coin's largest pools. If a pool's
 * response covers less than five minutes, the coin has no data.
 */
import { dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { type SeriesCollector, type TrackedCoin, trackedCoins } from "../collect/index.ts"
import { type CoinToken, coinTokens, tradedContract } from "../dex/coinTokens.ts"
import { sourceTimeOf } from "../source/index.ts"
import { GeckoTrades, type PoolTrade } from "./GeckoTerminal.ts"

const source = "geckoterminal"
const kind = pointsKinds.dexActivity
type Column = keyof typeof kind["columns"]

const stepMs = 5 * minuteMs

/** The delay after which trades are complete, because GeckoTerminal caches responses for a minute. */
const lagMs = 2 * minuteMs

/** The maximum age of requested trades, because GeckoTerminal returns slightly less than a day. */
const reachesBackMs = dayMs - hourMs / 2

/** The number of pools per coin, each of which needs one request. */
const poolsPerCoin = 3

/** The number of pools from which the most liquid pools are chosen. */
const candidatePools = 20

const floor = (time: number): number => Math.floor(time / stepMs) * stepMs

const groupIntoBuckets = (trades: ReadonlyArray<PoolTrade>) =>
  [...Map.groupBy(trades, ({ time }) => floor(time))].toSorted(([a], [b]) => a - b).map(([time, own]) => {
    const usdOf = (side: PoolTrade["side"]): number =>
      own.reduce((sum, trade) => trade.side === side ? sum + trade.usd : sum, 0)
    return { time, buyUsd: usdOf("buy"), sellUsd: usdOf("sell"), trades: own.length }
  })

export interface DexActivityOptions {
  readonly coins?: ReadonlyArray<TrackedCoin>
  /** The tokens of the coins to collect. */
  readonly tokens?: ReadonlyArray<CoinToken>
}

/** Returns the collector of on-chain trades of coins that have a contract. */
export const makeDexActivityCollector = (
  { coins = trackedCoins, tokens = coinTokens }: DexActivityOptions = {}
): Effect.Effect<SeriesCollector<Column>, never, GeckoTrades> =>
  Effect.map(GeckoTrades, (gecko) => {
    const places = new Map(coins.flatMap(({ coin }) => {
      const token = tokens.find((one) => one.coin === coin)
      const place = token === undefined ? null : tradedContract(token)
      return place === null ? [] : [[coin, place] as const]
    }))
    return {
      _tag: "series",
      source,
      name: "trades on chain",
      kind,
      everyMs: stepMs,
      offsetMs: lagMs + minuteMs / 2,
      rowTimes: "buckets",
      subjects: Effect.succeed([...places.keys()].map((subject) => ({ subject, from: 0 }))),
      backfill: {
        sourceRetentionMs: reachesBackMs,
        lookbackMs: reachesBackMs,
        maxIntervalMs: dayMs,
        fetch: Effect.fnUntraced(function*(coin, { from }) {
          const place = places.get(coin)!
          const pools = (yield* gecko.pools({ ...place, limit: candidatePools })).value ?? []
          const largest = pools.filter(({ liquidityUsd }) => liquidityUsd !== null).slice(0, poolsPerCoin)
          // Without a known pool, it is unknown whether the coin was traded.
          if (largest.length === 0) return { source, rows: [], until: from }
          const answers = yield* Effect.forEach(largest, ({ address }) => gecko.trades({ ...place, pool: address }))
          const since = floor(Math.max(...answers.map(({ value }) => value.since)) - 1) + stepMs
          const until = floor(Math.min(...answers.map(sourceTimeOf)) - lagMs)
          const response = {
            source,
            rows: groupIntoBuckets(answers.flatMap(({ value }) => value.trades)),
            since,
            until
          }
          const lostUntil = Math.min(since, until)
          return from < lostUntil ? { ...response, lost: { from, to: lostUntil } } : response
        })
      }
    }
  })
