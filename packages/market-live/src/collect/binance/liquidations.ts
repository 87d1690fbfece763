import { type EventRow, eventsKinds } from "@tapeline/core/market/store"
import { Context, Effect, Layer } from "effect"
import { type SocketEvent, SourceHealth } from "../../source/index.ts"
import type { BinanceContract } from "../../sources/binance/contracts.ts"
import {
  BinanceLiquidations,
  type BinanceLiquidationsOptions,
  type ContractLiquidation,
  layerBinanceLiquidations
} from "../../sources/binance/liquidations.ts"
import { venueKey } from "../../stored/documents.ts"
import { type StreamCollector, streamCollector } from "../collector.ts"
import type { Perpetuals } from "./perpetuals.ts"

type Row = EventRow<typeof eventsKinds.liquidations.columns[number]>

const source = "binance"

/** Per coin, of a contract that stands for many. */
const rowOf = ({ price, side, sizeUsd, symbol, time }: ContractLiquidation, { coin, unit }: BinanceContract): Row => ({
  // It has no id of its own; of each contract there is one a second at most.
  id: `${source}:${symbol}:${time}:${side}:${sizeUsd}`,
  time,
  subjects: [venueKey(source, coin)],
  source,
  label: side,
  document: null,
  price: price / unit,
  sizeUsd
})

/** Liquidations as they happen. The socket is opened by whoever leads the source alone. */
export const binanceLiquidationsCollector = (
  perpetuals: Perpetuals,
  options: BinanceLiquidationsOptions,
  health: SourceHealth["Service"]
): StreamCollector => {
  let bySymbol: ReadonlyMap<string, BinanceContract> = new Map()
  const eventOf = (event: SocketEvent<ContractLiquidation>): SocketEvent<Row | null> => {
    if (event._tag !== "heard") return event
    const contract = bySymbol.get(event.value.symbol)
    return { ...event, value: contract === undefined ? null : rowOf(event.value, contract) }
  }
  return streamCollector({
    source,
    name: "liquidations",
    kind: eventsKinds.liquidations,
    subjects: Effect.map(perpetuals, (contracts) => {
      bySymbol = new Map(Array.from(contracts.values(), (contract) => [contract.symbol, contract]))
      return Array.from(contracts.keys(), (coin) => venueKey(source, coin))
    }),
    listen: Effect.map(
      Layer.build(Layer.provide(layerBinanceLiquidations(options), Layer.succeed(SourceHealth, health))),
      (context) => ({
        take: Effect.map(Context.get(context, BinanceLiquidations).take, (events) => events.map(eventOf))
      })
    )
  })
}
