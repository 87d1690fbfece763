/** Facts of coins, written by one collector: listings, supplies and delistings. */
import { dayMs, hourMs, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { type DocumentRow, type MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect, Result } from "effect"
import { type Answer, firstServing } from "../../source/index.ts"
import { isLasting } from "../../source/lasting.ts"
import type { CoinList, ListedCoin } from "../../sources/caps/types.ts"
import { asked, storeName } from "../../stored/asking.ts"
import { coinDocument } from "../../stored/documents.ts"
import { pricesAt } from "../../stored/prices.ts"
import type { DocumentsCollector } from "../collector.ts"
import type { TrackedCoin } from "../trackedCoins.ts"
import { chosenCoin } from "./chosenCoin.ts"

/** A coin that trades on a venue, with the time of its listing there. */
export interface CoinListing {
  readonly coin: string
  readonly listedAt: number
  readonly venue: string
}

export interface CollectedFacts {
  readonly coins: ReadonlyArray<TrackedCoin>
  /** The tracked coins that trade. */
  readonly listed: Effect.Effect<ReadonlyArray<CoinListing>, SourceUnavailable>
  /** The sources of supplies. Each is used if the one before it fails. */
  readonly lists: readonly [NamedList, ...ReadonlyArray<NamedList>]
  readonly store: MarketStore["Service"]
}

export interface NamedList {
  readonly source: string
  readonly list: CoinList
}

/** The source under whose lead data of coin lists is written. */
export const capsSource = "market_caps"

const fineMs = 5 * minuteMs

/** How long a halted coin still counts as listed, and how long a supply is kept after sources stopped reporting it. */
const haltedMs = dayMs
const supplyKeptMs = dayMs

/** How far back the last candle of a delisted coin is searched. */
const goneWithinMs = 400 * dayMs

type Facts = Effect.Success<ReturnType<typeof coinDocument.valueOf>>

/** The beginning of a coin's candles, the end of the last one, and its source. */
interface Recorded {
  readonly since: number
  readonly until: number
  readonly source: string
}

interface Known {
  readonly now: number
  readonly facts: ReadonlyMap<string, Facts>
  /** Undefined if no venue serves this location. */
  readonly listings: ReadonlyMap<string, CoinListing> | undefined
  readonly recorded: ReadonlyMap<string, Recorded>
  readonly supplies: { readonly source: string; readonly coins: ReadonlyArray<ListedCoin> } | undefined
  readonly prices: ReadonlyMap<string, { readonly price: number }>
}

/** Whether candles are being collected at all. If so, a coin without recent candles has none. */
const isCollecting = ({ now, recorded }: Known): boolean =>
  Array.from(recorded.values()).some(({ until }) => now - until < hourMs)

/** The time of a coin's delisting: the end of its last candle, once the coin has not traded for longer than a halt. */
const delistedAtOf = (coin: string, known: Known): number | null => {
  const { facts, listings, now, recorded } = known
  if (listings?.has(coin) === true) return null
  const ended = recorded.get(coin)?.until
  if (ended === undefined || !isCollecting(known)) return facts.get(coin)?.delistedAt ?? null
  return now - ended > haltedMs ? ended : null
}

/** Returns undefined for coins that no venue lists and that were never recorded. */
const factsOf = ({ coin, name, sector }: TrackedCoin, known: Known): readonly [Facts, boolean] | undefined => {
  const { facts, listings, now, prices, recorded, supplies } = known
  const before = facts.get(coin)
  const times = [listings?.get(coin)?.listedAt, before?.listedAt, recorded.get(coin)?.since]
  const listedAt = Math.min(...times.filter((time) => time !== undefined))
  if (listedAt === Infinity) return undefined
  const chosen = supplies === undefined ? undefined : chosenCoin(supplies.coins, coin, prices.get(coin)?.price)
  const isKept = chosen?.circulatingSupply == null && now - (before?.suppliedAt ?? -Infinity) <= supplyKeptMs
  return [{
    name,
    sector,
    circulatingSupply: isKept ? before?.circulatingSupply ?? null : chosen?.circulatingSupply ?? null,
    maxSupply: isKept ? before?.maxSupply ?? null : chosen?.maxSupply ?? null,
    suppliedAt: isKept ? before?.suppliedAt ?? null : chosen === undefined ? null : now,
    listedAt,
    delistedAt: delistedAtOf(coin, known),
    isStablecoin: sector === "stablecoin"
  }, chosen !== undefined]
}

/** The next list is used for any failure. */
const any = ["unreachable", "rate_limited", "malformed", "not_configured", "blocked"] as const

/** The answer of the first list that succeeds. */
export const firstOf = <A>(
  [first, ...others]: CollectedFacts["lists"],
  ask: (list: CoinList) => Effect.Effect<Answer<A>, SourceUnavailable>
) => {
  const named = ({ list, source }: NamedList) => Effect.map(ask(list), ({ value }) => ({ source, value }))
  return firstServing([named(first), ...others.map(named)], any)
}

const faultOf = <A>(read: Result.Result<A, SourceUnavailable>) => Result.isFailure(read) ? [read.failure] : []

/** Reads the stored facts, candles and prices of some coins. */
const stored = Effect.fnUntraced(function*(store: MarketStore["Service"], coins: ReadonlyArray<string>, now: number) {
  const [rows, records, newest, prices] = yield* Effect.all([
    asked(store.documents({ kind: coinDocument.kind, keys: coins })),
    asked(store.recorded({ kind: pointsKinds.candles, subjects: coins })),
    asked(store.latest({ kind: pointsKinds.candles, subjects: coins, at: now, withinMs: goneWithinMs })),
    pricesAt(store, coins, now)
  ], { concurrency: 4 })
  const facts = yield* Effect.forEach(
    rows.values(),
    (row) => Effect.map(coinDocument.valueOf(row), (one) => [row.key, one] as const)
  )
  const recorded = [...newest].flatMap(([coin, { point }]) => {
    const since = records.get(coin)?.since ?? null
    if (point === null || since === null) return []
    return [[coin, { since, until: point.time + fineMs, source: point.source }] as const]
  })
  return { facts: new Map(facts), recorded: new Map(recorded), prices }
})

/**
 * Collects the facts of every tracked coin. If no venue serves this location, a coin's listing is its first candle. If
 * venues fail temporarily, the collector fails and the stored facts stay.
 */
export const coinFacts = ({ coins, listed: asksListed, lists, store }: CollectedFacts): DocumentsCollector => ({
  _tag: "documents",
  source: capsSource,
  name: "coins",
  kind: coinDocument.kind,
  everyMs: 60 * minuteMs,
  offsetMs: 0,
  ask: Effect.gen(function*() {
    const names = coins.map(({ coin }) => coin)
    const [listed, told] = yield* Effect.all(
      [Effect.result(asksListed), Effect.result(firstOf(lists, (list) => list.coins(names)))],
      { concurrency: 2 }
    )
    if (Result.isFailure(listed) && !isLasting(listed.failure)) return yield* listed.failure
    const now = Math.floor(yield* Clock.currentTimeMillis)
    const known: Known = {
      now,
      ...yield* stored(store, names, now),
      listings: Result.isSuccess(listed) ? new Map(listed.success.map((one) => [one.coin, one])) : undefined,
      supplies: Result.isSuccess(told) ? { source: told.success.source, coins: told.success.value } : undefined
    }
    const documents = coins.flatMap((coin): ReadonlyArray<DocumentRow> => {
      const facts = factsOf(coin, known)
      if (facts === undefined) return []
      const listedBy = known.listings?.get(coin.coin)?.venue ?? known.recorded.get(coin.coin)?.source
      const suppliedBy = facts[1] ? known.supplies?.source : undefined
      const source = [listedBy ?? storeName, suppliedBy].filter((name) => name !== undefined).join("+")
      return [coinDocument.rowOf({ key: coin.coin, time: now, source }, facts[0])]
    })
    return { documents, faults: [...faultOf(listed), ...faultOf(told)] }
  })
})
