/** A fake of Binance's liquidation stream, which sends the newest liquidation of each contract per second. */
import { type CoinDerivatives, type Liquidation, type MarketRead } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { formatDecimal } from "../server/numbers.ts"
import type { FakeSocket, SocketHandler } from "../server/sockets.ts"
import { quote, valueOrNull } from "./responses.ts"

type Derivatives = CoinDerivatives["Service"]

const frameMs = 1_000
const maxEvents = 1_000_000

const frameOf = (coin: string, { price, side, sizeUsd, time }: Liquidation, now: number) => {
  const quantity = formatDecimal(sizeUsd / price)
  return JSON.stringify({
    e: "forceOrder",
    E: now,
    o: {
      s: `${coin}${quote}`,
      S: side === "long" ? "SELL" : "BUY",
      o: "LIMIT",
      f: "IOC",
      q: quantity,
      p: formatDecimal(price),
      ap: formatDecimal(price),
      X: "FILLED",
      l: quantity,
      z: quantity,
      T: time
    }
  })
}

const coinsOf = (perpetuals: MarketRead<ReadonlyArray<{ readonly coin: string }>>) =>
  Effect.map(Effect.orDie(perpetuals), ({ value }) => value.map(({ coin }) => coin))

const sendFrames = Effect.fnUntraced(function*(derivatives: Derivatives, socket: FakeSocket, from: number, to: number) {
  for (const coin of yield* coinsOf(derivatives.perpetuals)) {
    const tape = yield* valueOrNull(derivatives.liquidations({ coin, from, to, limit: maxEvents }))
    const seconds = Map.groupBy(tape?.events ?? [], ({ time }) => Math.floor((time - from) / frameMs))
    for (const [second, events] of seconds) {
      socket.send(frameOf(coin, events.at(-1)!, Math.min(to, from + (second + 1) * frameMs)))
    }
  }
})

/** The current path of the liquidation stream. Binance's obsolete path accepts connections but sends nothing. */
const currentPath = "/market/ws/!forceOrder@arr"

export const makeBinanceLiquidations = (derivatives: Derivatives): SocketHandler => ({ path }) => {
  if (path === "/ws/!forceOrder@arr") return () => Effect.never
  if (path !== currentPath) return null
  return (socket) =>
    Effect.gen(function*() {
      let from = yield* Clock.currentTimeMillis
      return yield* Effect.forever(Effect.gen(function*() {
        yield* Effect.sleep(frameMs)
        const to = yield* Clock.currentTimeMillis
        yield* sendFrames(derivatives, socket, from, to)
        from = to
      }))
    })
}
