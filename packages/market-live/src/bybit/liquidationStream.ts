/** All liquidations of the subscribed Bybit futures, as they happen. Missed liquidations cannot be requested later. */
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
  /**
   * The symbols of the contracts to subscribe to. The socket's coverage applies only to these. If the venue does not
   * know one symbol, it rejects the whole subscription, and the rejection names the symbol.
   */
  readonly symbols: readonly [string, ...ReadonlyArray<string>]
  /** The base URL of the streams; the stream's path follows. */
  readonly baseUrl?: string
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
    // The side of the position: `Buy` for a long one.
    S: Schema.Literals(["Buy", "Sell"]),
    v: PositiveDecimal,
    p: PositiveDecimal
  }))
}).check(Schema.makeFilter(
  ({ data, topic }) => data.every(({ s }) => topic === `${prefix}${s}`),
  { expected: "liquidations of the topic's contract" }
))

/** The venue's response to our own messages. */
const Acknowledgement = Schema.Struct({
  op: Schema.Literals(["subscribe", "ping"]),
  success: Schema.Boolean,
  ret_msg: Schema.Union([Name, Schema.Literal("")])
})

const decode = Schema.decodeUnknownOption(Liquidations)
const decodeAcknowledgement = Schema.decodeUnknownOption(Acknowledgement)

/** The unknown topic in a rejection. */
const rejectedTopic = /topic:(allLiquidation\.[A-Za-z0-9-]{1,40})$/u

const read = (text: string): Result.Result<ReadonlyArray<ContractLiquidation>, string> => {
  const body = parseJson(text)
  const acknowledged = decodeAcknowledgement(body)
  if (Option.isSome(acknowledged)) {
    const { op, ret_msg: message, success } = acknowledged.value
    const topic = rejectedTopic.exec(message)?.[1]
    return success ? Result.succeed([]) : Result.fail(`it refuses to ${op}${topic === undefined ? "" : ` (${topic})`}`)
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

/** Bybit publishes twice a second. */
const lagMs = 1_000

/**
 * Bybit closes a socket after about ten seconds of silence, although its documents request a ping only every twenty.
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
        // One request for all contracts, so that one response confirms all of them.
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
