/** Streams all liquidations of the subscribed Bybit futures, which cannot be requested later. */
import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import {
  InstantMs,
  makeSocket,
  Name,
  PositiveDecimal,
  type ReconnectPolicy,
  type Socket,
  SourceHealth
} from "../source/index.ts"
import { parseJson } from "../source/rejections.ts"
import type { ContractLiquidation } from "../venues/contracts.ts"

export interface BybitLiquidationsOptions {
  /** The symbols of the subscribed contracts; one unknown symbol makes Bybit reject the whole subscription. */
  readonly symbols: readonly [string, ...ReadonlyArray<string>]
  readonly baseUrl?: string | undefined
  readonly reconnectPolicy?: Partial<ReconnectPolicy>
}

export class BybitLiquidations extends Context.Service<BybitLiquidations, Socket<ContractLiquidation>>()(
  "@tapeline/market-live/BybitLiquidations"
) {}

const prefix = "allLiquidation."

const Liquidations = Schema.Struct({
  topic: Name,
  type: Schema.Literal("snapshot"),
  data: Schema.Array(Schema.Struct({
    T: InstantMs,
    s: Name,
    // `S` is `Buy` for a liquidated long position, and `Sell` for a liquidated short position.
    S: Schema.Literals(["Buy", "Sell"]),
    v: PositiveDecimal,
    p: PositiveDecimal
  }))
}).check(Schema.makeFilter(
  ({ data, topic }) => data.every(({ s }) => topic === `${prefix}${s}`),
  { expected: "liquidations of the topic's contract" }
))

const Acknowledgement = Schema.Struct({
  op: Schema.Literals(["subscribe", "ping"]),
  success: Schema.Boolean,
  ret_msg: Schema.Union([Name, Schema.Literal("")])
})

const decode = Schema.decodeUnknownOption(Liquidations)
const decodeAcknowledgement = Schema.decodeUnknownOption(Acknowledgement)

const rejectedTopic = /topic:(allLiquidation\.[A-Za-z0-9-]{1,40})$/u

const read = (text: string): Result.Result<ReadonlyArray<ContractLiquidation>, string> => {
  const body = parseJson(text)
  const acknowledged = decodeAcknowledgement(body)
  if (Option.isSome(acknowledged)) {
    const { op, ret_msg: message, success } = acknowledged.value
    const topic = rejectedTopic.exec(message)?.[1]
    return success
      ? Result.succeed([])
      : Result.fail(`the request to ${op} was rejected${topic === undefined ? "" : ` (${topic})`}`)
  }
  const message = decode(body)
  if (Option.isNone(message)) return Result.fail("no liquidation")
  return Result.succeed(message.value.data.map(({ S: side, T: time, p: price, s: symbol, v: size }) => ({
    symbol,
    time,
    side: side === "Buy" ? "long" : "short",
    price,
    sizeUsd: Math.round(price * size * 100) / 100
  })))
}

const isConfirmation = (text: string): boolean => {
  const acknowledged = decodeAcknowledgement(parseJson(text))
  return Option.isSome(acknowledged) && acknowledged.value.op === "subscribe" && acknowledged.value.success
}

/** The publishing delay: Bybit publishes liquidations twice a second. */
const lagMs = 1_000

/**
 * The interval between pings, because Bybit closes a silent socket after about ten seconds, despite the documented
 * twenty.
 */
const pingMs = 5_000

export const layerBybitLiquidations = (
  { baseUrl = "wss://stream.bybit.com", reconnectPolicy = {}, symbols }: BybitLiquidationsOptions
): Layer.Layer<BybitLiquidations, never, SourceHealth> =>
  Layer.effect(
    BybitLiquidations,
    Effect.suspend(() =>
      makeSocket({
        name: "bybit",
        part: "liquidations",
        url: `${baseUrl.replace(/\/$/u, "")}/v5/public/linear`,
        // One request subscribes to all contracts, so that one response confirms all subscriptions.
        initialMessages: [JSON.stringify({ op: "subscribe", args: symbols.map((symbol) => `${prefix}${symbol}`) })],
        isConfirmation,
        read,
        ping: JSON.stringify({ op: "ping" }),
        lagMs,
        next: "okx",
        reconnectPolicy: { pingMs, ...reconnectPolicy }
      })
    )
  )
