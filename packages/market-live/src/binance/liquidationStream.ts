/**
 * Streams Binance's liquidations. Binance publishes only the newest liquidation of each contract per second, so sums
 * are lower bounds.
 */
import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import {
  InstantMs,
  makeSocket,
  Name,
  NonNegativeDecimal,
  type ReconnectPolicy,
  type Socket,
  SourceHealth
} from "../source/index.ts"
import { parseJson } from "../source/rejections.ts"
import type { ContractLiquidation } from "../venues/contracts.ts"
import { binanceFirewall } from "./rejections.ts"

export type { ContractLiquidation } from "../venues/contracts.ts"

export interface BinanceLiquidationsOptions {
  readonly baseUrl?: string | undefined
  readonly reconnectPolicy?: Partial<ReconnectPolicy>
}

export class BinanceLiquidations extends Context.Service<BinanceLiquidations, Socket<ContractLiquidation>>()(
  "@tapeline/market-live/BinanceLiquidations"
) {}

const ForceOrder = Schema.Struct({
  e: Schema.Literal("forceOrder"),
  o: Schema.Struct({
    s: Name,
    S: Schema.Literals(["BUY", "SELL"]),
    // `ap` is the average price, and `z` is the amount filled so far.
    ap: NonNegativeDecimal,
    z: NonNegativeDecimal,
    T: InstantMs
  })
})

const decode = Schema.decodeUnknownOption(
  Schema.Union([ForceOrder, Schema.Struct({ stream: Name, data: ForceOrder })])
)

/** Parses a liquidation message, and skips an order without a fill, because nothing was liquidated yet. */
const read = (text: string): Result.Result<ReadonlyArray<ContractLiquidation>, string> => {
  const message = decode(parseJson(text))
  if (Option.isNone(message)) return Result.fail("no liquidation")
  const { o: order } = "data" in message.value ? message.value.data : message.value
  const { S: side, T: time, ap: price, s: symbol, z: filled } = order
  if (price <= 0 || filled <= 0) return Result.succeed([])
  const sizeUsd = Math.round(price * filled * 100) / 100
  return Result.succeed([{ symbol, time, side: side === "SELL" ? "long" : "short", price, sizeUsd }])
}

/**
 * The maximum delay of a liquidation message: Binance collects liquidations for one second before it publishes them.
 */
const lagMs = 1_000

export const layerBinanceLiquidations = (
  { baseUrl = "wss://fstream.binance.com", reconnectPolicy = {} }: BinanceLiquidationsOptions = {}
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
        rateLimit403: binanceFirewall,
        reconnectPolicy
      })
    )
  )
