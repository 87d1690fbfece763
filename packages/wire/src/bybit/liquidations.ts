/** A fake of Bybit's stream of all liquidations. It sends the new liquidations of each contract twice a second. */
import { type CoinDerivatives, type Liquidation } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { decimalText } from "../decimalText.ts"
import type { Listens, WireSocket } from "../sockets.ts"

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
      v: decimalText(sizeUsd / price),
      p: decimalText(price)
    }))
  })

interface Said {
  readonly op?: string
  readonly req_id?: string
  readonly args?: ReadonlyArray<string>
}

const answered = (op: string, { req_id = "" }: Said, refusal = ""): string =>
  JSON.stringify({
    success: refusal === "",
    ret_msg: op === "ping" ? "pong" : refusal,
    conn_id: "465772b1-7630-4fdc-a492-e003e6f0f260",
    req_id,
    op
  })

/** Handles a message of the client. One unknown topic rejects all topics of its request. */
const hears = Effect.fnUntraced(function*(derivatives: Derivatives, socket: WireSocket, topics: Set<string>) {
  // Any JSON may arrive. Only these members are read, and each may be missing.
  const said = JSON.parse(yield* socket.received) as Said
  if (said.op === "ping") return socket.send(answered("ping", said))
  const { value: perpetuals } = yield* Effect.orDie(derivatives.perpetuals)
  const known = new Set(perpetuals.map(({ coin }) => `${prefix}${coin}${quote}`))
  const unknown = said.args?.find((topic) => !known.has(topic))
  if (unknown !== undefined) {
    return socket.send(answered("subscribe", said, `error:handler not found,topic:${unknown}`))
  }
  said.args?.forEach((topic) => topics.add(topic))
  socket.send(answered("subscribe", said))
})

const tells = Effect.fnUntraced(function*(
  derivatives: Derivatives,
  socket: WireSocket,
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

export const bybitLiquidations = (derivatives: Derivatives): Listens => ({ path }) => {
  if (path !== "/v5/public/linear") return null
  return (socket) =>
    Effect.gen(function*() {
      const topics = new Set<string>()
      let from = yield* Clock.currentTimeMillis
      const telling = Effect.forever(Effect.gen(function*() {
        yield* Effect.sleep(frameMs)
        const to = yield* Clock.currentTimeMillis
        yield* tells(derivatives, socket, topics, from, to)
        from = to
      }))
      return yield* Effect.raceFirst(Effect.forever(hears(derivatives, socket, topics)), telling)
    })
}
