/**
 * A fake of OKX's liquidation stream. It sends the newest liquidation of each contract per second, with sizes in
 * contracts.
 */
import { type CoinDerivatives, type Liquidation } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { orNone } from "../binance/refusals.ts"
import { decimalText } from "../decimalText.ts"
import type { Listens, WireSocket } from "../sockets.ts"
import { coinsOfContract, spotId, swapId } from "./said.ts"

type Derivatives = CoinDerivatives["Service"]

const frameMs = 1_000
const arg = { channel: "liquidation-orders", instType: "SWAP" }

const frameOf = (coin: string, { price, side, sizeUsd, time }: Liquidation): string =>
  JSON.stringify({
    arg,
    data: [{
      details: [{
        bkLoss: "0",
        bkPx: decimalText(price),
        ccy: "",
        posSide: side,
        side: side === "long" ? "sell" : "buy",
        sz: decimalText(sizeUsd / price / coinsOfContract(coin)),
        ts: String(time)
      }],
      instFamily: spotId(coin),
      instId: swapId(coin),
      instType: "SWAP",
      uly: spotId(coin)
    }]
  })

interface Said {
  readonly op?: string
  readonly args?: ReadonlyArray<{ readonly channel?: string; readonly instType?: string }>
}

const hears = Effect.fnUntraced(function*(socket: WireSocket, subscribe: () => void) {
  const text = yield* socket.received
  if (text === "ping") return socket.send("pong")
  // Any JSON may arrive. Only these members are read, and each may be missing.
  const [asked] = (JSON.parse(text) as Said).args ?? []
  if (asked?.channel !== arg.channel || asked.instType !== arg.instType) {
    return socket.send(
      JSON.stringify({ event: "error", code: "60018", msg: "Wrong URL or channel", connId: "a4d3ae55" })
    )
  }
  subscribe()
  socket.send(JSON.stringify({ event: "subscribe", arg, connId: "a4d3ae55" }))
})

const tells = Effect.fnUntraced(function*(derivatives: Derivatives, socket: WireSocket, from: number, to: number) {
  const { value: perpetuals } = yield* Effect.orDie(derivatives.perpetuals)
  for (const { coin } of perpetuals) {
    const newest = (yield* orNone(derivatives.liquidations({ coin, from, to })))?.events.at(-1)
    if (newest !== undefined) socket.send(frameOf(coin, newest))
  }
})

export const okxLiquidations = (derivatives: Derivatives): Listens => ({ path }) => {
  if (path !== "/ws/v5/public") return null
  return (socket) =>
    Effect.gen(function*() {
      let isSubscribed = false
      let from = yield* Clock.currentTimeMillis
      const telling = Effect.forever(Effect.gen(function*() {
        yield* Effect.sleep(frameMs)
        const to = yield* Clock.currentTimeMillis
        if (isSubscribed) yield* tells(derivatives, socket, from, to)
        from = to
      }))
      const hearing = Effect.forever(hears(socket, () => void (isSubscribed = true)))
      return yield* Effect.raceFirst(hearing, telling)
    })
}
