import { type EventRow, eventsKinds } from "@tapeline/core/market/store"
import { Context, Effect, Layer } from "effect"
import { makeStreamCollector, type StreamCollector } from "../collect/collector.ts"
import { type SocketEvent, SourceHealth } from "../source/index.ts"
import { venueKey } from "../stored/documents.ts"
import type { BinanceContract } from "./contracts.ts"
import {
  BinanceLiquidations,
  type BinanceLiquidationsOptions,
  type ContractLiquidation,
  layerBinanceLiquidations
} from "./liquidationStream.ts"
import type { Perpetuals } from "./perpetualVenue.ts"

type Row = EventRow<typeof eventsKinds.liquidations.columns[number]>

const source = "binance"

const rowOf = ({ price, side, sizeUsd, symbol, time }: ContractLiquidation, { coin, unit }: BinanceContract): Row => ({
  // Binance's liquidations have no IDs, and Binance publishes at most one liquidation per contract and second.
  id: `${source}:${symbol}:${time}:${side}:${sizeUsd}`,
  time,
  subjects: [venueKey(source, coin)],
  source,
  label: side,
  document: null,
  price: price / unit,
  sizeUsd
})

/** Collects Binance's liquidations from a WebSocket stream. Only the leader process opens the WebSocket. */
export const binanceLiquidationsCollector = (
  perpetuals: Perpetuals,
  options: BinanceLiquidationsOptions,
  health: SourceHealth["Service"]
): StreamCollector => {
  let bySymbol: ReadonlyMap<string, BinanceContract> = new Map()
  const toStoredEvent = (event: SocketEvent<ContractLiquidation>): SocketEvent<Row | null> => {
    if (event._tag !== "heard") return event
    const contract = bySymbol.get(event.value.symbol)
    return { ...event, value: contract === undefined ? null : rowOf(event.value, contract) }
  }
  return makeStreamCollector({
    source,
    name: "liquidations",
    kind: eventsKinds.liquidations,
    subjects: Effect.map(perpetuals, (contracts) => {
      bySymbol = new Map(Array.from(contracts.values(), (contract) => [contract.symbol, contract]))
      return Array.from(contracts.keys(), (coin) => venueKey(source, coin))
    }),
    subscribe: Effect.map(
      Layer.build(Layer.provide(layerBinanceLiquidations(options), Layer.succeed(SourceHealth, health))),
      (context) => ({
        take: Effect.map(Context.get(context, BinanceLiquidations).take, (events) => events.map(toStoredEvent))
      })
    )
  })
}
