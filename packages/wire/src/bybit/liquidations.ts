/** A fake of Bybit's liquidation stream, which sends the new liquidations of each contract twice a second. */
import { type CoinDerivatives, type Liquidation } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { formatDecimal } from "../server/numbers.ts"
import type { FakeSocket, SocketHandler } from "../server/sockets.ts"

type Derivatives = CoinDerivatives["Service"]

const frameMs = 500
const quote = "USDT"
const prefix = "allLiquidation."

const frameOf = (symbol: string, events: ReadonlyArray<Liquidation>, now: number) =>
  JSON.stringify({
    topic: `${prefix}${symbol}`,
    type: "snapshot",
    ts: now,
    data: events.map(({ price, side, sizeUsd, time }) => ({
      T: time,
      s: symbol,
      S: side === "long" ? "Buy" : "Sell",
      v: formatDecimal(sizeUsd / price),
      p: formatDecimal(price)
    }))
  })

interface ClientMessage {
  readonly op?: string
  readonly req_id?: string
  readonly args?: ReadonlyArray<string>
}

const acknowledgement = (op: string, { req_id = "" }: ClientMessage, errorText = ""): string =>
  JSON.stringify({
    success: errorText === "",
    ret_msg: op === "ping" ? "pong" : errorText,
    conn_id: "465772b1-7630-4fdc-a492-e003e6f0f260",
    req_id,
    op
  })

/** Handles a client's message; one unknown topic rejects all topics of a request. */
const handleMessage = Effect.fnUntraced(function*(derivatives: Derivatives, socket: FakeSocket, topics: Set<string>) {
  // The client may send any JSON, so each member of `ClientMessage` may be missing.
  const message = JSON.parse(yield* socket.received) as ClientMessage
  if (message.op === "ping") return socket.send(acknowledgement("ping", message))
  const { value: perpetuals } = yield* Effect.orDie(derivatives.perpetuals)
  const known = new Set(perpetuals.map(({ coin }) => `${prefix}${coin}${quote}`))
  const unknown = message.args?.find((topic) => !known.has(topic))
  if (unknown !== undefined) {
    return socket.send(acknowledgement("subscribe", message, `error:handler not found,topic:${unknown}`))
  }
  message.args?.forEach((topic) => topics.add(topic))
  socket.send(acknowledgement("subscribe", message))
})

const sendLiquidations = Effect.fnUntraced(function*(
  derivatives: Derivatives,
  socket: FakeSocket,
  topics: ReadonlySet<string>,
  from: number,
  to: number
) {
  for (const topic of topics) {
    const symbol = topic.slice(prefix.length)
    const coin = symbol.slice(0, -quote.length)
    const { value: { events } } = yield* Effect.orDie(derivatives.liquidations({ coin, from, to }))
    if (events.length > 0) socket.send(frameOf(symbol, events, to))
  }
})

export const makeBybitLiquidations = (derivatives: Derivatives): SocketHandler => ({ path }) => {
  if (path !== "/v5/public/linear") return null
  return (socket) =>
    Effect.gen(function*() {
      const topics = new Set<string>()
      let from = yield* Clock.currentTimeMillis
      const sending = Effect.forever(Effect.gen(function*() {
        yield* Effect.sleep(frameMs)
        const to = yield* Clock.currentTimeMillis
        yield* sendLiquidations(derivatives, socket, topics, from, to)
        from = to
      }))
      return yield* Effect.raceFirst(Effect.forever(handleMessage(derivatives, socket, topics)), sending)
    })
}
