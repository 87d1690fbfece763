import type { CoinDerivatives, CoinPrices } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { quote, valueOrNull } from "../binance/responses.ts"
import type { FakeResponse } from "../server/FakeServer.ts"

export interface BybitPorts {
  readonly derivatives: CoinDerivatives["Service"]
  readonly prices: CoinPrices["Service"]
}

export const okResponse = (retCode: number, retMsg: string, result: object = {}) =>
  Effect.map(Clock.currentTimeMillis, (time): FakeResponse => ({
    body: { retCode, retMsg, result, retExtInfo: {}, time }
  }))

export const symbolOf = (coin: string): string => `${coin}${quote}`

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

/** Returns a coin's dated futures with Bybit's symbols, such as `BTCUSDT-25DEC26`. */
export const datedFutures = (derivatives: CoinDerivatives["Service"], coin: string) =>
  Effect.map(valueOrNull(derivatives.futures(coin)), (futures) =>
    (futures ?? []).map((future) => {
      const date = new Date(future.expiryAt)
      const day = `${String(date.getUTCDate()).padStart(2, "0")}${months[date.getUTCMonth()]!}`
      return { future, symbol: `${symbolOf(coin)}-${day}${String(date.getUTCFullYear()).slice(2)}` }
    }))

const spotInstruments = Effect.fnUntraced(function*({ prices }: BybitPorts): Effect.fn.Return<FakeResponse> {
  const { value } = yield* Effect.orDie(prices.coins)
  const list = value.filter(({ coin }) => coin !== quote).map(({ coin, delistedAt }) => ({
    symbol: symbolOf(coin),
    baseCoin: coin,
    quoteCoin: quote,
    innovation: "0",
    status: delistedAt === null ? "Trading" : "Closed",
    marginTrading: "none"
  }))
  return yield* okResponse(0, "OK", { category: "spot", list })
})

const linearInstruments = Effect.fnUntraced(
  function*({ derivatives, prices }: BybitPorts): Effect.fn.Return<FakeResponse> {
    const { value: perpetuals } = yield* Effect.orDie(derivatives.perpetuals)
    const list: Array<object> = []
    for (const { coin } of perpetuals) {
      const listedAt = (yield* valueOrNull(prices.coin(coin)))?.listedAt ?? 0
      const one = {
        status: "Trading",
        baseCoin: coin,
        quoteCoin: quote,
        settleCoin: quote,
        launchTime: String(listedAt),
        isPreListing: false
      }
      const perpetual = { contractType: "LinearPerpetual", deliveryTime: "0", fundingInterval: 480 }
      list.push({ symbol: symbolOf(coin), ...one, ...perpetual })
      for (const { future, symbol } of yield* datedFutures(derivatives, coin)) {
        const dated = { contractType: "LinearFutures", deliveryTime: String(future.expiryAt), fundingInterval: 0 }
        list.push({ symbol, ...one, ...dated })
      }
    }
    return yield* okResponse(0, "OK", { category: "linear", list, nextPageCursor: "" })
  }
)

export const serveInstruments = (ports: BybitPorts, category: string | null) =>
  category === "spot"
    ? spotInstruments(ports)
    : category === "linear"
    ? linearInstruments(ports)
    : okResponse(10001, "Illegal category")
