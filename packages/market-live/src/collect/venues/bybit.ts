import type { SourceUnavailable } from "@tapeline/core/market"
import { type EventRow, eventsKinds } from "@tapeline/core/market/store"
import { Context, Effect, Layer } from "effect"
import { type SocketEvent, SourceHealth } from "../../source/index.ts"
import type { BybitListed } from "../../sources/bybit/instruments.ts"
import {
  BybitLiquidations,
  type BybitLiquidationsOptions,
  layerBybitLiquidations
} from "../../sources/bybit/liquidations.ts"
import type { BybitMark, BybitMarket } from "../../sources/bybit/market.ts"
import type { ContractLiquidation } from "../../sources/contractLiquidation.ts"
import { instrumentOf } from "../../sources/datedFutures.ts"
import { venueKey } from "../../stored/documents.ts"
import { type Collector, type StreamCollector, streamCollector } from "../collector.ts"
import { type Listed, remembering } from "../listed.ts"
import type { TrackedCoin } from "../trackedCoins.ts"
import { resubscribing } from "./resubscribing.ts"
import { type VenueNow, venueNowCollectors } from "./VenueNow.ts"

type Market = BybitMarket["Service"]
type Row = EventRow<typeof eventsKinds.liquidations.columns[number]>
type Contracts = Effect.Effect<ReadonlyArray<BybitListed>, SourceUnavailable>
type ListedContracts = Effect.Effect<Listed<BybitListed>, SourceUnavailable>

const source = "bybit"

export const isPerpetual = ({ kind }: BybitListed): boolean => kind === "perpetual"

/** The contracts of tracked coins that trade, one perpetual per coin. */
export const contractsOf = (market: Market, coins: ReadonlyArray<TrackedCoin>): ListedContracts => {
  const tracked = new Set(coins.map(({ coin }) => coin))
  return Effect.map(remembering(market.contracts("USDT")), ({ rows, unread }) => {
    const found = rows.filter(({ coin, trades }) => trades && tracked.has(coin))
    const first = new Map(found.filter(isPerpetual).toReversed().map((contract) => [contract.coin, contract]))
    return { unread, rows: found.filter((contract) => !isPerpetual(contract) || first.get(contract.coin) === contract) }
  })
}

const venueNow = (market: Market, contracts: Contracts): VenueNow => {
  /** Requests the marks of some contracts, and converts each together with its contract. */
  const marksOf = <A>(
    select: (contract: BybitListed) => boolean,
    tell: (mark: BybitMark, contract: BybitListed) => ReadonlyArray<A>
  ) =>
    Effect.gen(function*() {
      const listed = (yield* contracts).filter(select)
      const bySymbol = new Map(listed.map((contract) => [contract.symbol, contract]))
      const { value: marks } = yield* market.marks(listed)
      return marks.flatMap((mark) => tell(mark, bySymbol.get(mark.contract.symbol)!))
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
          : [{ coin, instrument: instrumentOf(coin, expiryAt), time, expiryAt, price, indexPrice }]
    )
  }
}

/** The time within which identical liquidations may follow one another. */
const alikeMs = 60_000

/** Numbers identical liquidations, because they have no ids. Each process that receives them assigns the same ids. */
const makeIds = (): (one: ContractLiquidation) => string => {
  const seen = new Map<string, { readonly time: number; readonly count: number }>()
  return ({ price, side, sizeUsd, symbol, time }) => {
    const name = `${source}:${symbol}:${time}:${side}:${price}:${sizeUsd}`
    const count = seen.get(name)?.count ?? 0
    if (seen.size > 10_000) { for (const [key, old] of seen) if (old.time < time - alikeMs) seen.delete(key) }
    seen.set(name, { time, count: count + 1 })
    return `${name}:${count}`
  }
}

type Streams = Omit<BybitLiquidationsOptions, "symbols">

/** Collects all liquidations as they happen. The subscription follows the list of contracts. */
const liquidations = (
  contracts: Contracts,
  options: Streams,
  health: SourceHealth["Service"]
): StreamCollector => {
  let bySymbol: ReadonlyMap<string, BybitListed> = new Map()
  const listening = (symbols: BybitLiquidationsOptions["symbols"]) =>
    Effect.map(
      Layer.build(
        Layer.provide(layerBybitLiquidations({ ...options, symbols }), Layer.succeed(SourceHealth, health))
      ),
      (context) => Context.get(context, BybitLiquidations)
    )
  return streamCollector({
    source,
    name: "liquidations",
    kind: eventsKinds.liquidations,
    subjects: Effect.map(contracts, (all) => {
      bySymbol = new Map(all.filter(isPerpetual).map((contract) => [contract.symbol, contract]))
      return Array.from(bySymbol.values(), ({ coin }) => venueKey(source, coin))
    }),
    listen: Effect.map(resubscribing(() => [...bySymbol.keys()], listening), ({ take }) => {
      const idOf = makeIds()
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

/** The collectors of Bybit's contracts: present data, and all liquidations. */
export const bybitCollectors = (
  market: Market,
  coins: ReadonlyArray<TrackedCoin>,
  streams: Streams,
  health: SourceHealth["Service"]
): ReadonlyArray<Collector> => {
  const contracts = Effect.map(contractsOf(market, coins), ({ rows }) => rows)
  return [...venueNowCollectors(venueNow(market, contracts)), liquidations(contracts, streams, health)]
}
