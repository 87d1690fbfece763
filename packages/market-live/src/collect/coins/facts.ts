/**
 * Facts of coins, written in one place: where they are listed, how many there are of them, and that they are gone.
 */
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

/** A coin that trades at some venue, with whom its beginning is known from. */
export interface CoinListing {
  readonly coin: string
  readonly listedAt: number
  readonly venue: string
}

export interface CollectedFacts {
  readonly coins: ReadonlyArray<TrackedCoin>
  /** Tracked coins that trade. */
  readonly listed: Effect.Effect<ReadonlyArray<CoinListing>, SourceUnavailable>
  /** Who tells supplies, each asked where the one before it does not answer. */
  readonly lists: readonly [NamedList, ...ReadonlyArray<NamedList>]
  readonly store: MarketStore["Service"]
}

export interface NamedList {
  readonly source: string
  readonly list: CoinList
}

/** Whose lead what lists of coins tell is written under. */
export const capsSource = "market_caps"

const fineMs = 5 * minuteMs

/** So long a coin that does not trade may be halted, and so long a supply that nobody tells any more is told. */
const haltedMs = dayMs
const supplyKeptMs = dayMs

/** How far back the last candle of a coin that is gone is looked for. */
const goneWithinMs = 400 * dayMs

type Facts = Effect.Success<ReturnType<typeof coinDocument.valueOf>>

/** When the candles of a coin begin, the end of the last one, and who told it. */
interface Recorded {
  readonly since: number
  readonly until: number
  readonly source: string
}

interface Known {
  readonly now: number
  readonly facts: ReadonlyMap<string, Facts>
  /** Undefined where no venue serves this place. */
  readonly listings: ReadonlyMap<string, CoinListing> | undefined
  readonly recorded: ReadonlyMap<string, Recorded>
  readonly supplies: { readonly source: string; readonly coins: ReadonlyArray<ListedCoin> } | undefined
  readonly prices: ReadonlyMap<string, { readonly price: number }>
}

/** Candles are being collected: one that lacks them lacks them by itself. */
const isCollecting = ({ now, recorded }: Known): boolean =>
  Array.from(recorded.values()).some(({ until }) => now - until < hourMs)

/** When a coin was gone: with its last candle, once it has not been traded for longer than a halt lasts. */
const delistedAtOf = (coin: string, known: Known): number | null => {
  const { facts, listings, now, recorded } = known
  if (listings?.has(coin) === true) return null
  const ended = recorded.get(coin)?.until
  if (ended === undefined || !isCollecting(known)) return facts.get(coin)?.delistedAt ?? null
  return now - ended > haltedMs ? ended : null
}

/** Coins that nobody lists any more, and never were recorded, are none. */
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

/** Whatever a list fails with, the next one may tell. */
const any = ["unreachable", "rate_limited", "malformed", "not_configured", "blocked"] as const

/** What the first of some lists tells that answers. */
export const firstOf = <A>(
  [first, ...others]: CollectedFacts["lists"],
  ask: (list: CoinList) => Effect.Effect<Answer<A>, SourceUnavailable>
) => {
  const named = ({ list, source }: NamedList) => Effect.map(ask(list), ({ value }) => ({ source, value }))
  return firstServing([named(first), ...others.map(named)], any)
}

const faultOf = <A>(read: Result.Result<A, SourceUnavailable>) => Result.isFailure(read) ? [read.failure] : []

/** Reads what is stored of some coins. */
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
 * Facts of every tracked coin. Where no venue serves this place, a coin is listed since its first candle; where they
 * are away, what is known stands.
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
