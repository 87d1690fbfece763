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
import type { OkxContract, OkxContractKind } from "./instruments.ts"
import { layerOkxLiquidations, OkxLiquidations, type OkxLiquidationsOptions } from "./liquidationStream.ts"
import type { OkxMarket } from "./market.ts"

type Market = OkxMarket["Service"]
type Row = EventRow<typeof eventsKinds.liquidations.columns[number]>
type Contracts = Effect.Effect<ReadonlyArray<OkxContract>, SourceUnavailable>
type ListedContracts = Effect.Effect<MarketList<OkxContract>, SourceUnavailable>

const source = "okx"
const quote = "USDT"

export const listContracts = (
  market: Market,
  coins: ReadonlyArray<TrackedCoin>,
  kind: OkxContractKind
): ListedContracts => {
  const tracked = new Set(coins.map(({ coin }) => coin))
  return Effect.map(
    rememberMarkets(market.contracts(kind, quote)),
    ({ rows, unreadable }) => ({
      unreadable,
      rows: rows.filter(({ coin, isTrading }) => isTrading && tracked.has(coin))
    })
  )
}

const makeVenueSnapshot = (market: Market, perpetuals: Contracts, dated: Contracts): VenueSnapshot => ({
  source,
  coins: Effect.map(perpetuals, (all) => all.map(({ coin }) => coin)),
  funding: Effect.gen(function*() {
    const { value } = yield* market.funding(yield* perpetuals)
    return value.map(({ contract: { coin }, ...one }) => ({ coin, ...one }))
  }),
  openInterest: Effect.gen(function*() {
    const { value } = yield* market.openInterest("perpetual")
    return (yield* perpetuals).flatMap(({ coin, symbol }) => {
      const one = value.get(symbol)
      return one === undefined ? [] : [{ coin, ...one }]
    })
  }),
  futures: Effect.gen(function*() {
    const contracts = yield* dated
    if (contracts.length === 0) return []
    const { value: marks } = yield* market.markPrices("dated")
    const { value: indices } = yield* market.indexPrices(quote)
    return contracts.flatMap(({ coin, expiryAt, symbol }) => {
      const [mark, index] = [marks.get(symbol), indices.get(coin)]
      if (mark === undefined || index === undefined || expiryAt === null || expiryAt <= mark.time) return []
      const { price, time } = mark
      return [{ coin, instrument: datedFutureName(coin, expiryAt), time, expiryAt, price, indexPrice: index.price }]
    })
  })
})

type StreamOptions = Omit<OkxLiquidationsOptions, "coinsPerContractOf">

/** Returns the collector of a sample of OKX's liquidations, from one stream for all contracts. */
const makeLiquidationsCollector = (
  perpetuals: Contracts,
  options: StreamOptions,
  health: SourceHealth["Service"]
): StreamCollector => {
  let bySymbol: ReadonlyMap<string, OkxContract> = new Map()
  const eventOf = (event: SocketEvent<ContractLiquidation>): SocketEvent<Row | null> => {
    if (event._tag !== "heard") return event
    const { price, side: label, sizeUsd, symbol, time } = event.value
    const contract = bySymbol.get(symbol)
    if (contract === undefined) return { ...event, value: null }
    // OKX publishes at most one liquidation per contract and second.
    const id = `${source}:${symbol}:${time}:${label}:${sizeUsd}`
    const subjects = [venueKey(source, contract.coin)]
    return { ...event, value: { id, time, subjects, source, label, document: null, price, sizeUsd } }
  }
  const layer = layerOkxLiquidations({
    ...options,
    coinsPerContractOf: (symbol) => bySymbol.get(symbol)?.coinsPerContract
  })
  return makeStreamCollector({
    source,
    name: "liquidations",
    kind: eventsKinds.liquidations,
    subjects: Effect.map(perpetuals, (all) => {
      bySymbol = new Map(all.map((contract) => [contract.symbol, contract]))
      return all.map(({ coin }) => venueKey(source, coin))
    }),
    subscribe: Effect.map(Layer.build(Layer.provide(layer, Layer.succeed(SourceHealth, health))), (context) => ({
      take: Effect.map(Context.get(context, OkxLiquidations).take, (events) => events.map(eventOf))
    }))
  })
}

/** Returns the collectors of OKX's current derivatives data, and of a sample of liquidations. */
export const okxCollectors = (
  market: Market,
  coins: ReadonlyArray<TrackedCoin>,
  streams: StreamOptions,
  health: SourceHealth["Service"]
): ReadonlyArray<Collector> => {
  const contractsOfKind = (kind: OkxContractKind): Contracts =>
    Effect.map(listContracts(market, coins, kind), ({ rows }) => rows)
  const [perpetuals, dated] = [contractsOfKind("perpetual"), contractsOfKind("dated")]
  return [
    ...makeVenueSnapshotCollectors(makeVenueSnapshot(market, perpetuals, dated)),
    makeLiquidationsCollector(perpetuals, streams, health)
  ]
}
