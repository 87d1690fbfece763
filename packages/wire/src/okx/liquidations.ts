/** A fake of OKX's liquidation stream, which sends each contract's newest liquidation per second, in contracts. */
import { type CoinDerivatives, type Liquidation } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { valueOrNull } from "../binance/responses.ts"
import { formatDecimal } from "../server/numbers.ts"
import type { FakeSocket, SocketHandler } from "../server/sockets.ts"
import { coinsOfContract, spotId, swapId } from "./responses.ts"

type Derivatives = CoinDerivatives["Service"]

const frameMs = 1_000
const arg = { channel: "liquidation-orders", instType: "SWAP" }

const frameOf = (coin: string, { price, side, sizeUsd, time }: Liquidation): string =>
  JSON.stringify({
    arg,
    data: [{
      details: [{
        bkLoss: "0",
        bkPx: formatDecimal(price),
        ccy: "",
        posSide: side,
        side: side === "long" ? "sell" : "buy",
        sz: formatDecimal(sizeUsd / price / coinsOfContract(coin)),
        ts: String(time)
      }],
      instFamily: spotId(coin),
      instId: swapId(coin),
      instType: "SWAP",
      uly: spotId(coin)
    }]
  })

interface ClientMessage {
  readonly op?: string
  readonly args?: ReadonlyArray<{ readonly channel?: string; readonly instType?: string }>
}

const handleMessage = Effect.fnUntraced(function*(socket: FakeSocket, subscribe: () => void) {
  const text = yield* socket.received
  if (text === "ping") return socket.send("pong")
  // The client may send any JSON, so each member of `ClientMessage` may be missing.
  const [requestedTopic] = (JSON.parse(text) as ClientMessage).args ?? []
  if (requestedTopic?.channel !== arg.channel || requestedTopic.instType !== arg.instType) {
    return socket.send(
      JSON.stringify({ event: "error", code: "60018", msg: "Wrong URL or channel", connId: "a4d3ae55" })
    )
  }
  subscribe()
  socket.send(JSON.stringify({ event: "subscribe", arg, connId: "a4d3ae55" }))
})

const sendLiquidations = Effect.fnUntraced(
  function*(derivatives: Derivatives, socket: FakeSocket, from: number, to: number) {
    const { value: perpetuals } = yield* Effect.orDie(derivatives.perpetuals)
    for (const { coin } of perpetuals) {
      const newest = (yield* valueOrNull(derivatives.liquidations({ coin, from, to })))?.events.at(-1)
      if (newest !== undefined) socket.send(frameOf(coin, newest))
    }
  }
)

export const makeOkxLiquidations = (derivatives: Derivatives): SocketHandler => ({ path }) => {
  if (path !== "/ws/v5/public") return null
  return (socket) =>
    Effect.gen(function*() {
      let isSubscribed = false
      let from = yield* Clock.currentTimeMillis
      const sending = Effect.forever(Effect.gen(function*() {
        yield* Effect.sleep(frameMs)
        const to = yield* Clock.currentTimeMillis
        if (isSubscribed) yield* sendLiquidations(derivatives, socket, from, to)
        from = to
      }))
      const receiving = Effect.forever(handleMessage(socket, () => void (isSubscribed = true)))
      return yield* Effect.raceFirst(receiving, sending)
    })
}
