import type { CoinDerivatives, CoinPrices, DatedFuture, OrderBooks } from "@tapeline/core/market"
import { Effect } from "effect"
import { valueOrNull } from "../binance/responses.ts"
import { coinsOfContract, okxResponse, spotId, swapId } from "./responses.ts"

/** The market ports behind the fake OKX API. */
export interface OkxPorts {
  readonly derivatives: CoinDerivatives["Service"]
  readonly prices: CoinPrices["Service"]
  /** The port of order books. Without `books`, the fake API serves no order books. */
  readonly books?: OrderBooks["Service"]
}

const spot = Effect.fnUntraced(function*({ prices }: OkxPorts) {
  const { value } = yield* Effect.orDie(prices.coins)
  return okxResponse(
    value.filter(({ coin }) => coin !== "USDT").map(({ coin, delistedAt, listedAt }) => ({
      instType: "SPOT",
      instId: spotId(coin),
      baseCcy: coin,
      quoteCcy: "USDT",
      settleCcy: "",
      ctType: "",
      ctVal: "",
      state: delistedAt === null ? "live" : "suspend",
      listTime: String(listedAt),
      expTime: ""
    }))
  )
})

const contract = (coin: string, listedAt: number) => ({
  ctType: "linear",
  ctVal: String(coinsOfContract(coin)),
  ctMult: "1",
  ctValCcy: coin,
  settleCcy: "USDT",
  baseCcy: "",
  quoteCcy: "",
  state: "live",
  listTime: String(listedAt)
})

const inverse = { ...contract("BTC", 1_573_557_408_000), ctType: "inverse", ctVal: "100", ctValCcy: "USD" }

export const datedId = (coin: string, { expiryAt }: DatedFuture): string =>
  `${spotId(coin)}-${new Date(expiryAt).toISOString().slice(2, 10).replaceAll("-", "")}`

export const perpetualCoins = ({ derivatives }: OkxPorts) =>
  Effect.map(Effect.orDie(derivatives.perpetuals), ({ value }) => value.map(({ coin }) => coin))

export const datedFuturesOf = ({ derivatives }: OkxPorts, coin: string) =>
  Effect.map(valueOrNull(derivatives.futures(coin)), (futures) => futures ?? [])

const contracts = Effect.fnUntraced(function*(ports: OkxPorts, instType: "SWAP" | "FUTURES") {
  const rows: Array<object> = [
    { ...inverse, instType, instId: "BTC-USD-SWAP", settleCcy: "BTC", alias: "", expTime: "" }
  ]
  for (const coin of yield* perpetualCoins(ports)) {
    const listedAt = (yield* valueOrNull(ports.prices.coin(coin)))?.listedAt ?? 0
    const one = { instType, instFamily: spotId(coin), ...contract(coin, listedAt) }
    if (instType === "SWAP") {
      rows.push({ ...one, instId: swapId(coin), alias: "", expTime: "" })
      continue
    }
    for (const [i, future] of (yield* datedFuturesOf(ports, coin)).entries()) {
      const alias = i === 0 ? "quarter" : "next_quarter"
      rows.push({ ...one, instId: datedId(coin, future), alias, expTime: String(future.expiryAt) })
    }
  }
  return okxResponse(rows)
})

export const serveInstruments = (ports: OkxPorts, instType: string | null) =>
  instType === "SPOT"
    ? spot(ports)
    : instType === "SWAP" || instType === "FUTURES"
    ? contracts(ports, instType)
    : Effect.succeed(okxResponse([], "51000", "Parameter instType error"))
