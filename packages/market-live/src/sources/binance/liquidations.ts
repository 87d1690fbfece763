/**
 * Liquidations of Binance's futures as they happen: of each contract the newest one of a second, so that they are a
 * sample and sums of them lower bounds. Nobody tells what was missed.
 */
import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import {
  InstantMs,
  makeSocket,
  Name,
  NonNegativeDecimal,
  type Socket,
  type SocketPatience,
  SourceHealth
} from "../../source/index.ts"
import { jsonOf } from "../../source/judge.ts"
import type { ContractLiquidation } from "../contractLiquidation.ts"
import { firewallOfBinance } from "./refusals.ts"

export type { ContractLiquidation } from "../contractLiquidation.ts"

export interface BinanceLiquidationsOptions {
  /** Where its streams are; the path of the stream follows. */
  readonly baseUrl?: string
  readonly patience?: Partial<SocketPatience>
}

export class BinanceLiquidations extends Context.Service<BinanceLiquidations, Socket<ContractLiquidation>>()(
  "@tapeline/market-live/BinanceLiquidations"
) {}

const ForceOrder = Schema.Struct({
  e: Schema.Literal("forceOrder"),
  o: Schema.Struct({
    s: Name,
    S: Schema.Literals(["BUY", "SELL"]),
    // The average price, and what was filled by now.
    ap: NonNegativeDecimal,
    z: NonNegativeDecimal,
    T: InstantMs
  })
})

/** The stream alone, and as one of several that share a connection. */
const decode = Schema.decodeUnknownOption(
  Schema.Union([ForceOrder, Schema.Struct({ stream: Name, data: ForceOrder })])
)

/** Of an order that nothing was filled of nothing was liquidated yet. */
const read = (text: string): Result.Result<ReadonlyArray<ContractLiquidation>, string> => {
  const message = decode(jsonOf(text))
  if (Option.isNone(message)) return Result.fail("no liquidation")
  const { o: order } = "data" in message.value ? message.value.data : message.value
  const { S: side, T: time, ap: price, s: symbol, z: filled } = order
  if (price <= 0 || filled <= 0) return Result.succeed([])
  const sizeUsd = Math.round(price * filled * 100) / 100
  return Result.succeed([{ symbol, time, side: side === "SELL" ? "long" : "short", price, sizeUsd }])
}

/** It collects for a second before it tells. */
const lagMs = 1_000

export const layerBinanceLiquidations = (
  { baseUrl = "wss://fstream.binance.com", patience = {} }: BinanceLiquidationsOptions = {}
): Layer.Layer<BinanceLiquidations, never, SourceHealth> =>
  Layer.effect(
    BinanceLiquidations,
    Effect.suspend(() =>
      makeSocket({
        name: "binance",
        part: "liquidations",
        url: `${baseUrl.replace(/\/$/u, "")}/market/ws/!forceOrder@arr`,
        read,
        lagMs,
        next: "bybit",
        limitedBy403: firewallOfBinance,
        patience
      })
    )
  )
