import type { SourceUnavailable } from "@tapeline/core/market"
import { type EventRow, eventsKinds } from "@tapeline/core/market/store"
import { Context, Effect, Layer } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import { type Collector, makeStreamCollector, type StreamCollector } from "../collect/collector.ts"
import { type MarketList, rememberMarkets } from "../collect/marketLists.ts"
import { type SocketEvent, SourceHealth } from "../source/index.ts"
import { venueKey } from "../stored/documents.ts"
import { type ContractLiquidation, datedFutureName } from "../venues/contracts.ts"
import { makeVenueSnapshotCollectors, type VenueSnapshot } from "../venues/VenueSnapshot.ts"
import type { BybitListedContract } from "./instruments.ts"
import { BybitLiquidations, type BybitLiquidationsOptions, layerBybitLiquidations } from "./liquidationStream.ts"
import type { BybitMark, BybitMarket } from "./market.ts"
import { resubscribeOnChange } from "./resubscribeOnChange.ts"

type Market = BybitMarket["Service"]
type Row = EventRow<typeof eventsKinds.liquidations.columns[number]>
type Contracts = Effect.Effect<ReadonlyArray<BybitListedContract>, SourceUnavailable>
type ListedContracts = Effect.Effect<MarketList<BybitListedContract>, SourceUnavailable>

const source = "bybit"

export const isPerpetual = ({ kind }: BybitListedContract): boolean => kind === "perpetual"

/** Lists the tradable contracts of tracked coins, with at most one perpetual per coin. */
export const listContracts = (market: Market, coins: ReadonlyArray<TrackedCoin>): ListedContracts => {
  const tracked = new Set(coins.map(({ coin }) => coin))
  return Effect.map(rememberMarkets(market.contracts("USDT")), ({ rows, unreadable }) => {
    const found = rows.filter(({ coin, isTrading }) => isTrading && tracked.has(coin))
    const first = new Map(found.filter(isPerpetual).toReversed().map((contract) => [contract.coin, contract]))
    return {
      unreadable,
      rows: found.filter((contract) => !isPerpetual(contract) || first.get(contract.coin) === contract)
    }
  })
}

const makeVenueSnapshot = (market: Market, contracts: Contracts): VenueSnapshot => {
  const marksOf = <A>(
    select: (contract: BybitListedContract) => boolean,
    convert: (mark: BybitMark, contract: BybitListedContract) => ReadonlyArray<A>
  ) =>
    Effect.gen(function*() {
      const listed = (yield* contracts).filter(select)
      const bySymbol = new Map(listed.map((contract) => [contract.symbol, contract]))
      const { value: marks } = yield* market.marks(listed)
      return marks.flatMap((mark) => convert(mark, bySymbol.get(mark.contract.symbol)!))
    })
  return {
    source,
    coins: Effect.map(contracts, (all) => all.filter(isPerpetual).map(({ coin }) => coin)),
    funding: marksOf(
      isPerpetual,
      ({ fundingRate, intervalHours, nextFundingAt, time }, { coin }) =>
        fundingRate === null || intervalHours === null
          ? []
          : [{ coin, time, fundingRate, intervalHours, nextFundingAt }]
    ),
    openInterest: marksOf(
      isPerpetual,
      ({ openInterest, openInterestUsd, time }, { coin }) =>
        openInterest === null || openInterestUsd === null ? [] : [{ coin, time, openInterest, openInterestUsd }]
    ),
    futures: marksOf(
      (contract) => !isPerpetual(contract),
      ({ indexPrice, markPrice: price, time }, { coin, expiryAt }) =>
        indexPrice === null || expiryAt === null || expiryAt <= time
          ? []
          : [{ coin, instrument: datedFutureName(coin, expiryAt), time, expiryAt, price, indexPrice }]
    )
  }
}

/** The minimum time for which liquidations are remembered, to number identical liquidations. */
const duplicateWindowMs = 60_000

/**
 * Returns a function that creates IDs for Bybit's liquidations. Identical liquidations are numbered, so that every
 * process creates equal IDs.
 */
const makeIdGenerator = (): (one: ContractLiquidation) => string => {
  const seen = new Map<string, { readonly time: number; readonly count: number }>()
  return ({ price, side, sizeUsd, symbol, time }) => {
    const name = `${source}:${symbol}:${time}:${side}:${price}:${sizeUsd}`
    const count = seen.get(name)?.count ?? 0
    if (seen.size > 10_000) { for (const [key, old] of seen) if (old.time < time - duplicateWindowMs) seen.delete(key) }
    seen.set(name, { time, count: count + 1 })
    return `${name}:${count}`
  }
}

type StreamOptions = Omit<BybitLiquidationsOptions, "symbols">

/** Collects all liquidations from Bybit's stream, with a subscription that follows changes of the contract list. */
const makeLiquidationsCollector = (
  contracts: Contracts,
  options: StreamOptions,
  health: SourceHealth["Service"]
): StreamCollector => {
  let bySymbol: ReadonlyMap<string, BybitListedContract> = new Map()
  const openSocket = (symbols: BybitLiquidationsOptions["symbols"]) =>
    Effect.map(
      Layer.build(
        Layer.provide(layerBybitLiquidations({ ...options, symbols }), Layer.succeed(SourceHealth, health))
      ),
      (context) => Context.get(context, BybitLiquidations)
    )
  return makeStreamCollector({
    source,
    name: "liquidations",
    kind: eventsKinds.liquidations,
    subjects: Effect.map(contracts, (all) => {
      bySymbol = new Map(all.filter(isPerpetual).map((contract) => [contract.symbol, contract]))
      return Array.from(bySymbol.values(), ({ coin }) => venueKey(source, coin))
    }),
    subscribe: Effect.map(resubscribeOnChange(() => [...bySymbol.keys()], openSocket), ({ take }) => {
      const idOf = makeIdGenerator()
      const eventOf = (event: SocketEvent<ContractLiquidation>): SocketEvent<Row | null> => {
        if (event._tag !== "heard") return event
        const contract = bySymbol.get(event.value.symbol)
        if (contract === undefined) return { ...event, value: null }
        const { price, side: label, sizeUsd, time } = event.value
        const id = idOf(event.value)
        const subjects = [venueKey(source, contract.coin)]
        const row = { id, time, subjects, source, label, document: null, price: price / contract.unit, sizeUsd }
        return { ...event, value: row }
      }
      return { take: Effect.map(take, (events) => events.map(eventOf)) }
    })
  })
}

/** Returns the collectors of Bybit's current derivatives data, and of all liquidations. */
export const bybitCollectors = (
  market: Market,
  coins: ReadonlyArray<TrackedCoin>,
  streams: StreamOptions,
  health: SourceHealth["Service"]
): ReadonlyArray<Collector> => {
  const contracts = Effect.map(listContracts(market, coins), ({ rows }) => rows)
  return [
    ...makeVenueSnapshotCollectors(makeVenueSnapshot(market, contracts)),
    makeLiquidationsCollector(contracts, streams, health)
  ]
}
