/**
 * Liquidations of OKX's perpetuals as they happen. OKX publishes at most one per contract and second. They are
 * therefore a sample, and their sums are lower bounds. Missed liquidations cannot be requested later.
 */
import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import {
  InstantMsText,
  makeSocket,
  Name,
  PositiveDecimal,
  type Socket,
  type SocketPatience,
  SourceHealth
} from "../../source/index.ts"
import { jsonOf } from "../../source/judge.ts"
import type { ContractLiquidation } from "../contractLiquidation.ts"

export interface OkxLiquidationsOptions {
  /**
   * Returns the coins in one contract of a symbol, because sizes are in contracts. Undefined for contracts to skip,
   * such as those with margin in their own coin.
   */
  readonly coinsOf: (symbol: string) => number | undefined
  /** The base URL of the streams; the stream's path follows. */
  readonly baseUrl?: string
  readonly patience?: Partial<SocketPatience>
}

export class OkxLiquidations extends Context.Service<OkxLiquidations, Socket<ContractLiquidation>>()(
  "@tapeline/market-live/OkxLiquidations"
) {}

const Argument = Schema.Struct({ channel: Schema.Literal("liquidation-orders"), instType: Schema.Literal("SWAP") })

const Detail = Schema.Struct({
  // The side of the liquidation order: it sold a long position, or bought back a short one.
  side: Schema.Literals(["buy", "sell"]),
  bkPx: PositiveDecimal,
  sz: PositiveDecimal,
  ts: InstantMsText
})

const Liquidations = Schema.Struct({
  arg: Argument,
  data: Schema.Array(Schema.Struct({ instId: Name, details: Schema.Array(Detail) }))
})

const Event = Schema.Struct({ event: Schema.Literals(["subscribe", "error", "notice"]) })

const decode = Schema.decodeUnknownOption(Liquidations)
const eventOf = Schema.decodeUnknownOption(Event)
const isSubscribed = Schema.is(Schema.Struct({ event: Schema.Literal("subscribe"), arg: Argument }))

const pong = "pong"

const reader =
  (coinsOf: OkxLiquidationsOptions["coinsOf"]) =>
  (text: string): Result.Result<ReadonlyArray<ContractLiquidation>, string> => {
    if (text === pong) return Result.succeed([])
    const body = jsonOf(text)
    const said = eventOf(body)
    if (Option.isSome(said)) {
      return said.value.event === "error" ? Result.fail("it refuses to subscribe") : Result.succeed([])
    }
    const message = decode(body)
    if (Option.isNone(message)) return Result.fail("no liquidation")
    return Result.succeed(message.value.data.flatMap(({ details, instId: symbol }) => {
      const coins = coinsOf(symbol)
      if (coins === undefined) return []
      return details.map(({ bkPx: price, side, sz: contracts, ts: time }): ContractLiquidation => ({
        symbol,
        time,
        side: side === "sell" ? "long" : "short",
        price,
        sizeUsd: Math.round(price * contracts * coins * 100) / 100
      }))
    }))
  }

/** OKX collects for a second before it publishes. */
const lagMs = 1_000

export const layerOkxLiquidations = (
  { baseUrl = "wss://ws.okx.com:8443", coinsOf, patience = {} }: OkxLiquidationsOptions
): Layer.Layer<OkxLiquidations, never, SourceHealth> =>
  Layer.effect(
    OkxLiquidations,
    Effect.suspend(() =>
      makeSocket({
        name: "okx",
        part: "liquidations",
        url: `${baseUrl.replace(/\/$/u, "")}/ws/v5/public`,
        hello: [JSON.stringify({ op: "subscribe", args: [{ channel: "liquidation-orders", instType: "SWAP" }] })],
        confirms: (text) => isSubscribed(jsonOf(text)),
        read: reader(coinsOf),
        // A text message, which OKX answers with `pong`. OKX closes a socket after 30 seconds of silence.
        ping: "ping",
        lagMs,
        patience
      })
    )
  )
