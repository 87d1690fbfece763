/**
 * What is traded on chain, counted by five minutes out of the trades of each coin's largest pools. A pool tells its
 * newest three hundred, of a day at most: what a busy one told between two questions and does not tell any more is
 * lost at once. Where a pool tells less than five minutes, nothing of its coin is known.
 */
import { dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { type SeriesCollector, type TrackedCoin, trackedCoins } from "../../collect/index.ts"
import { presentOf } from "../../source/index.ts"
import { type CoinToken, coinTokens, tradedPlace } from "./coinTokens.ts"
import { GeckoTrades, type PoolTrade } from "./GeckoTerminal.ts"

const source = "geckoterminal"
const kind = pointsKinds.dexActivity
type Column = keyof typeof kind["columns"]

const stepMs = 5 * minuteMs

/** It keeps what it answers for a minute, and reads a chain some seconds late. */
const lagMs = 2 * minuteMs

/** Half an hour less than a day, which it does not tell whole to the minute. */
const reachesBackMs = dayMs - hourMs / 2

/** So many pools of each coin are asked, the most liquid: a request each. */
const poolsOfCoin = 3

/** So many are looked at, some of which tell no liquidity. */
const pageOfPools = 20

const floor = (time: number): number => Math.floor(time / stepMs) * stepMs

const bucketsOf = (trades: ReadonlyArray<PoolTrade>) =>
  [...Map.groupBy(trades, ({ time }) => floor(time))].toSorted(([a], [b]) => a - b).map(([time, own]) => {
    const usdOf = (side: PoolTrade["side"]): number =>
      own.reduce((sum, trade) => trade.side === side ? sum + trade.usd : sum, 0)
    return { time, buyUsd: usdOf("buy"), sellUsd: usdOf("sell"), trades: own.length }
  })

export interface DexActivityOptions {
  readonly coins?: ReadonlyArray<TrackedCoin>
  /** What token each of them is; of the others nothing is collected. */
  readonly tokens?: ReadonlyArray<CoinToken>
}

/** Trades on chain of coins with a contract. */
export const dexActivityCollector = (
  { coins = trackedCoins, tokens = coinTokens }: DexActivityOptions = {}
): Effect.Effect<SeriesCollector<Column>, never, GeckoTrades> =>
  Effect.map(GeckoTrades, (gecko) => {
    const places = new Map(coins.flatMap(({ coin }) => {
      const token = tokens.find((one) => one.coin === coin)
      const place = token === undefined ? null : tradedPlace(token)
      return place === null ? [] : [[coin, place] as const]
    }))
    return {
      _tag: "series",
      source,
      name: "trades on chain",
      kind,
      everyMs: stepMs,
      offsetMs: lagMs + minuteMs / 2,
      rowsAre: "buckets",
      subjects: Effect.succeed([...places.keys()].map((subject) => ({ subject, from: 0 }))),
      backfill: {
        reachesBackMs,
        wantedMs: reachesBackMs,
        longestMs: dayMs,
        ask: Effect.fnUntraced(function*(coin, { from }) {
          const place = places.get(coin)!
          const pools = (yield* gecko.pools({ ...place, limit: pageOfPools })).value ?? []
          const largest = pools.filter(({ liquidityUsd }) => liquidityUsd !== null).slice(0, poolsOfCoin)
          // Where no pool is known it is not known either that nothing is traded.
          if (largest.length === 0) return { source, rows: [], until: from }
          const answers = yield* Effect.forEach(largest, ({ address }) => gecko.trades({ ...place, pool: address }))
          const since = floor(Math.max(...answers.map(({ value }) => value.since)) - 1) + stepMs
          const until = floor(Math.min(...answers.map(presentOf)) - lagMs)
          const told = { source, rows: bucketsOf(answers.flatMap(({ value }) => value.trades)), since, until }
          const lostUntil = Math.min(since, until)
          return from < lostUntil ? { ...told, lost: { from, to: lostUntil } } : told
        })
      }
    }
  })
