import { dayMs, hourMs, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { type DocumentRow, type MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect, Result } from "effect"
import type { DocumentsCollector } from "../collect/collector.ts"
import { isLasting } from "../source/failover.ts"
import { firstAvailable, type SourceResponse } from "../source/index.ts"
import { coinDocument } from "../stored/documents.ts"
import { readPricesAt } from "../stored/readPrices.ts"
import { storeName, withReadErrors } from "../stored/storeReads.ts"
import type { CoinList, ListedCoin } from "./CoinList.ts"
import type { TrackedCoin } from "./trackedCoins.ts"

/**
 * The IDs of each default coin in CoinPaprika and CoinGecko. A symbol does not identify a coin, because several coins
 * can share it.
 */
const coinIds: Readonly<Record<string, readonly [coinPaprika: string, coinGecko: string]>> = {
  BTC: ["btc-bitcoin", "bitcoin"],
  ETH: ["eth-ethereum", "ethereum"],
  SOL: ["sol-solana", "solana"],
  XRP: ["xrp-xrp", "ripple"],
  BNB: ["bnb-binance-coin", "binancecoin"],
  ADA: ["ada-cardano", "cardano"],
  AVAX: ["avax-avalanche", "avalanche-2"],
  TRX: ["trx-tron", "tron"],
  DOT: ["dot-polkadot", "polkadot"],
  LTC: ["ltc-litecoin", "litecoin"],
  BCH: ["bch-bitcoin-cash", "bitcoin-cash"],
  NEAR: ["near-near-protocol", "near"],
  SUI: ["sui-sui", "sui"],
  APT: ["apt-aptos", "aptos"],
  ATOM: ["atom-cosmos", "cosmos"],
  XLM: ["xlm-stellar", "stellar"],
  ARB: ["arb-arbitrum", "arbitrum"],
  OP: ["op-optimism", "optimism"],
  LINK: ["link-chainlink", "chainlink"],
  UNI: ["uni-uniswap", "uniswap"],
  AAVE: ["aave-new", "aave"],
  DOGE: ["doge-dogecoin", "dogecoin"],
  SHIB: ["shib-shiba-inu", "shiba-inu"],
  PEPE: ["pepe-pepe", "pepe"]
}

/** The maximum ratio between two sources' prices of one coin. Prices with a larger ratio belong to different coins. */
const maxPriceRatio = 1.5

const hasSimilarPrice = ({ price }: ListedCoin, knownPrice: number | undefined): boolean =>
  knownPrice === undefined || price === null || Math.max(price / knownPrice, knownPrice / price) <= maxPriceRatio

/**
 * Returns the coin with the symbol `coin` and a price similar to `price`. If several coins match, prefers the coin with
 * a known ID, and otherwise the coin with the best market rank.
 */
export const chooseCoin = (
  all: ReadonlyArray<ListedCoin>,
  coin: string,
  price: number | undefined
): ListedCoin | undefined => {
  const candidates = all.filter((one) => one.coin === coin && one.rank !== null && hasSimilarPrice(one, price))
  const known = candidates.find(({ id }) => coinIds[coin]?.includes(id))
  return known ?? candidates.toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity))[0]
}

/** A coin that trades on a venue, with the time at which the venue listed the coin. */
export interface CoinListing {
  readonly coin: string
  readonly listedAt: number
  readonly venue: string
}

export interface CoinFactsOptions {
  readonly coins: ReadonlyArray<TrackedCoin>
  readonly fetchListings: Effect.Effect<ReadonlyArray<CoinListing>, SourceUnavailable>
  /** The sources of coin supplies, in order of preference. */
  readonly coinLists: readonly [NamedCoinList, ...ReadonlyArray<NamedCoinList>]
  readonly store: MarketStore["Service"]
}

export interface NamedCoinList {
  readonly source: string
  readonly list: CoinList
}

/** The source name that the collectors of coin facts and total market capitalisation share. */
export const marketCapSource = "market_caps"

const fiveMinutesMs = 5 * minuteMs

/**
 * The period after a coin's last trade in which the coin counts as listed, and the period for which the coin's last
 * reported supply is kept.
 */
const maxHaltMs = dayMs
const maxSupplyAgeMs = dayMs

/** The length of the past period in which the last candle of a delisted coin is searched. */
const delistedLookbackMs = 400 * dayMs

type CoinFacts = Effect.Success<ReturnType<typeof coinDocument.decodeRow>>

interface CandleRange {
  readonly since: number
  readonly until: number
  readonly source: string
}

interface KnownData {
  readonly now: number
  readonly facts: ReadonlyMap<string, CoinFacts>
  /** The listings by coin, or undefined if every venue blocks the server's location. */
  readonly listings: ReadonlyMap<string, CoinListing> | undefined
  readonly recorded: ReadonlyMap<string, CandleRange>
  readonly supplies: { readonly source: string; readonly coins: ReadonlyArray<ListedCoin> } | undefined
  readonly prices: ReadonlyMap<string, { readonly price: number }>
}

/** Returns whether the store has a candle of the last hour for any coin. */
const isCollecting = ({ now, recorded }: KnownData): boolean =>
  Array.from(recorded.values()).some(({ until }) => now - until < hourMs)

/**
 * Returns the end of a delisted coin's last candle, or null for a coin that a venue lists or that has traded within
 * `maxHaltMs`. If no coin has new candles, returns the stored delisting time.
 */
const delistedAtOf = (coin: string, known: KnownData): number | null => {
  const { facts, listings, now, recorded } = known
  if (listings?.has(coin) === true) return null
  const ended = recorded.get(coin)?.until
  if (ended === undefined || !isCollecting(known)) return facts.get(coin)?.delistedAt ?? null
  return now - ended > maxHaltMs ? ended : null
}

/**
 * Returns a coin's facts, and whether a coin list contains the coin. Returns undefined if the coin's listing time is
 * unknown.
 */
const factsOf = ({ coin, name, sector }: TrackedCoin, known: KnownData): readonly [CoinFacts, boolean] | undefined => {
  const { facts, listings, now, prices, recorded, supplies } = known
  const before = facts.get(coin)
  const times = [listings?.get(coin)?.listedAt, before?.listedAt, recorded.get(coin)?.since]
  const listedAt = Math.min(...times.filter((time) => time !== undefined))
  if (listedAt === Infinity) return undefined
  const chosen = supplies === undefined ? undefined : chooseCoin(supplies.coins, coin, prices.get(coin)?.price)
  const keepsPreviousSupply = chosen?.circulatingSupply == null &&
    now - (before?.suppliedAt ?? -Infinity) <= maxSupplyAgeMs
  return [{
    name,
    sector,
    circulatingSupply: keepsPreviousSupply ? before?.circulatingSupply ?? null : chosen?.circulatingSupply ?? null,
    maxSupply: keepsPreviousSupply ? before?.maxSupply ?? null : chosen?.maxSupply ?? null,
    suppliedAt: keepsPreviousSupply ? before?.suppliedAt ?? null : chosen === undefined ? null : now,
    listedAt,
    delistedAt: delistedAtOf(coin, known),
    isStablecoin: sector === "stablecoin"
  }, chosen !== undefined]
}

const anyFailure = ["unreachable", "rate_limited", "malformed", "not_configured", "blocked"] as const

export const fetchFirstAvailable = <A>(
  [first, ...others]: CoinFactsOptions["coinLists"],
  fetch: (list: CoinList) => Effect.Effect<SourceResponse<A>, SourceUnavailable>
) => {
  const fetchFrom = ({ list, source }: NamedCoinList) => Effect.map(fetch(list), ({ value }) => ({ source, value }))
  return firstAvailable([fetchFrom(first), ...others.map(fetchFrom)], anyFailure)
}

const failuresOf = <A>(read: Result.Result<A, SourceUnavailable>) => Result.isFailure(read) ? [read.failure] : []

const readStoredFacts = Effect.fnUntraced(
  function*(store: MarketStore["Service"], coins: ReadonlyArray<string>, now: number) {
    const [rows, records, newest, prices] = yield* Effect.all([
      withReadErrors(store.documents({ kind: coinDocument.kind, keys: coins })),
      withReadErrors(store.records({ kind: pointsKinds.candles, subjects: coins })),
      withReadErrors(
        store.latest({ kind: pointsKinds.candles, subjects: coins, at: now, withinMs: delistedLookbackMs })
      ),
      readPricesAt(store, coins, now)
    ], { concurrency: 4 })
    const facts = yield* Effect.forEach(
      rows.values(),
      (row) => Effect.map(coinDocument.decodeRow(row), (one) => [row.key, one] as const)
    )
    const recorded = [...newest].flatMap(([coin, { point }]) => {
      const since = records.get(coin)?.since ?? null
      if (point === null || since === null) return []
      return [[coin, { since, until: point.time + fiveMinutesMs, source: point.source }] as const]
    })
    return { facts: new Map(facts), recorded: new Map(recorded), prices }
  }
)

/**
 * Collects the facts of every tracked coin. If no venue serves the server's location, the coin's first candle counts as
 * its listing.
 */
export const makeCoinFactsCollector = (
  { coins, fetchListings, coinLists, store }: CoinFactsOptions
): DocumentsCollector => ({
  _tag: "documents",
  source: marketCapSource,
  name: "coins",
  kind: coinDocument.kind,
  everyMs: 60 * minuteMs,
  offsetMs: 0,
  fetch: Effect.gen(function*() {
    const names = coins.map(({ coin }) => coin)
    const [listingsResult, suppliesResult] = yield* Effect.all(
      [Effect.result(fetchListings), Effect.result(fetchFirstAvailable(coinLists, (list) => list.coins(names)))],
      { concurrency: 2 }
    )
    if (Result.isFailure(listingsResult) && !isLasting(listingsResult.failure)) return yield* listingsResult.failure
    const now = Math.floor(yield* Clock.currentTimeMillis)
    const known: KnownData = {
      now,
      ...yield* readStoredFacts(store, names, now),
      listings: Result.isSuccess(listingsResult)
        ? new Map(listingsResult.success.map((one) => [one.coin, one]))
        : undefined,
      supplies: Result.isSuccess(suppliesResult)
        ? { source: suppliesResult.success.source, coins: suppliesResult.success.value }
        : undefined
    }
    const documents = coins.flatMap((coin): ReadonlyArray<DocumentRow> => {
      const facts = factsOf(coin, known)
      if (facts === undefined) return []
      const listedBy = known.listings?.get(coin.coin)?.venue ?? known.recorded.get(coin.coin)?.source
      const suppliedBy = facts[1] ? known.supplies?.source : undefined
      const source = [listedBy ?? storeName, suppliedBy].filter((name) => name !== undefined).join("+")
      return [coinDocument.encodeRow({ key: coin.coin, time: now, source }, facts[0])]
    })
    return { documents, faults: [...failuresOf(listingsResult), ...failuresOf(suppliesResult)] }
  })
})
