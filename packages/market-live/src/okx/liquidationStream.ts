/**
 * Streams OKX's liquidations. OKX publishes at most one liquidation per contract and second, so sums are lower bounds.
 */
import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import {
  InstantMsText,
  makeSocket,
  Name,
  PositiveDecimal,
  type ReconnectPolicy,
  type Socket,
  SourceHealth
} from "../source/index.ts"
import { parseJson } from "../source/rejections.ts"
import type { ContractLiquidation } from "../venues/contracts.ts"

export interface OkxLiquidationsOptions {
  /** Returns the number of coins in one contract, or undefined if the stream must skip the contract. */
  readonly coinsPerContractOf: (symbol: string) => number | undefined
  readonly baseUrl?: string | undefined
  readonly reconnectPolicy?: Partial<ReconnectPolicy>
}

export class OkxLiquidations extends Context.Service<OkxLiquidations, Socket<ContractLiquidation>>()(
  "@tapeline/market-live/OkxLiquidations"
) {}

const Argument = Schema.Struct({ channel: Schema.Literal("liquidation-orders"), instType: Schema.Literal("SWAP") })

const Detail = Schema.Struct({
  // `side` is the side of the liquidation order: `sell` closes a long position.
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
const decodeEvent = Schema.decodeUnknownOption(Event)
const isSubscribed = Schema.is(Schema.Struct({ event: Schema.Literal("subscribe"), arg: Argument }))

const pong = "pong"

const makeReader =
  (coinsOf: OkxLiquidationsOptions["coinsPerContractOf"]) =>
  (text: string): Result.Result<ReadonlyArray<ContractLiquidation>, string> => {
    if (text === pong) return Result.succeed([])
    const body = parseJson(text)
    const event = decodeEvent(body)
    if (Option.isSome(event)) {
      return event.value.event === "error" ? Result.fail("the subscription was rejected") : Result.succeed([])
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

/** The maximum delay of a liquidation message: OKX collects liquidations for one second before it publishes them. */
const lagMs = 1_000

export const layerOkxLiquidations = (
  { baseUrl = "wss://ws.okx.com:8443", coinsPerContractOf, reconnectPolicy = {} }: OkxLiquidationsOptions
): Layer.Layer<OkxLiquidations, never, SourceHealth> =>
  Layer.effect(
    OkxLiquidations,
    Effect.suspend(() =>
      makeSocket({
        name: "okx",
        part: "liquidations",
        url: `${baseUrl.replace(/\/$/u, "")}/ws/v5/public`,
        initialMessages: [
          JSON.stringify({ op: "subscribe", args: [{ channel: "liquidation-orders", instType: "SWAP" }] })
        ],
        isConfirmation: (text) => isSubscribed(parseJson(text)),
        read: makeReader(coinsPerContractOf),
        // OKX answers the text message `ping` with `pong`, and closes a socket after 30 seconds of silence.
        ping: "ping",
        lagMs,
        reconnectPolicy
      })
    )
  )
