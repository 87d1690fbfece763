/**
 * A fake of Binance's liquidation stream. As documented, it sends the newest liquidation of each contract per second.
 */
import { type CoinDerivatives, type Liquidation, type MarketRead } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { decimalText } from "../decimalText.ts"
import type { Listens, WireSocket } from "../sockets.ts"
import { orNone, quote } from "./refusals.ts"

type Derivatives = CoinDerivatives["Service"]

const frameMs = 1_000
/** The maximum number of liquidations that one read returns after a jump of the clock. */
const mostTold = 1_000_000

const frameOf = (coin: string, { price, side, sizeUsd, time }: Liquidation, now: number) => {
  const quantity = decimalText(sizeUsd / price)
  return JSON.stringify({
    e: "forceOrder",
    E: now,
    o: {
      s: `${coin}${quote}`,
      S: side === "long" ? "SELL" : "BUY",
      o: "LIMIT",
      f: "IOC",
      q: quantity,
      p: decimalText(price),
      ap: decimalText(price),
      X: "FILLED",
      l: quantity,
      z: quantity,
      T: time
    }
  })
}

const coinsOf = (perpetuals: MarketRead<ReadonlyArray<{ readonly coin: string }>>) =>
  Effect.map(Effect.orDie(perpetuals), ({ value }) => value.map(({ coin }) => coin))

/** Sends the frame of each second of an interval. */
const sayFrames = Effect.fnUntraced(function*(derivatives: Derivatives, socket: WireSocket, from: number, to: number) {
  for (const coin of yield* coinsOf(derivatives.perpetuals)) {
    const tape = yield* orNone(derivatives.liquidations({ coin, from, to, limit: mostTold }))
    const seconds = Map.groupBy(tape?.events ?? [], ({ time }) => Math.floor((time - from) / frameMs))
    for (const [second, events] of seconds) {
      socket.send(frameOf(coin, events.at(-1)!, Math.min(to, from + (second + 1) * frameMs)))
    }
  }
})

/**
 * The current path of the stream. The path from before the streams were routed opens and stays silent, as on Binance.
 */
const routed = "/market/ws/!forceOrder@arr"

export const binanceLiquidations = (derivatives: Derivatives): Listens => ({ path }) => {
  if (path === "/ws/!forceOrder@arr") return () => Effect.never
  if (path !== routed) return null
  return (socket) =>
    Effect.gen(function*() {
      let from = yield* Clock.currentTimeMillis
      return yield* Effect.forever(Effect.gen(function*() {
        yield* Effect.sleep(frameMs)
        const to = yield* Clock.currentTimeMillis
        yield* sayFrames(derivatives, socket, from, to)
        from = to
      }))
    })
}
