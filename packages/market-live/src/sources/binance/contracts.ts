import type { DatedFuture } from "@tapeline/core/market"
import { Schema } from "effect"
import { InstantMs, listOf, Name } from "../../source/index.ts"
import { coinUnitOf } from "../coinUnit.ts"
import { instrumentOf } from "../datedFutures.ts"

/** A contract of a coin that is margined in a stablecoin. */
export interface BinanceContract {
  /** As the spot market calls the coin. */
  readonly coin: string
  readonly symbol: string
  readonly kind: "perpetual" | "dated"
  /** Coins that one unit of it stands for: small coins trade by the thousand (`1000PEPEUSDT`). */
  readonly unit: number
  readonly listedAt: number
  /** Null of a perpetual. */
  readonly expiryAt: number | null
  /** False of one that is not open yet, is halted, or is being settled. */
  readonly trades: boolean
}

export const FuturesInfo = Schema.Struct({
  symbols: listOf(Schema.Struct({
    symbol: Name,
    // Empty of what is not open yet.
    contractType: Schema.Union([Name, Schema.Literal("")]),
    status: Name,
    baseAsset: Name,
    marginAsset: Name,
    onboardDate: InstantMs,
    deliveryDate: InstantMs
  }))
})

/** Those of crypto assets: contracts of stocks and metals have types of their own. */
const kinds: ReadonlyMap<string, BinanceContract["kind"]> = new Map([
  ["PERPETUAL", "perpetual"],
  ["CURRENT_QUARTER", "dated"],
  ["NEXT_QUARTER", "dated"]
])

export const contractsOf = (info: typeof FuturesInfo.Type, margin: string): ReadonlyArray<BinanceContract> =>
  info.symbols.flatMap((row) => {
    const { baseAsset, contractType, deliveryDate, marginAsset, onboardDate, status, symbol } = row
    const kind = kinds.get(contractType)
    if (kind === undefined || marginAsset !== margin) return []
    const expiryAt = kind === "dated" ? deliveryDate : null
    return [{ ...coinUnitOf(baseAsset), symbol, kind, listedAt: onboardDate, expiryAt, trades: status === "TRADING" }]
  })

/** What a contract is worth now, per coin. */
export interface BinanceMark {
  readonly contract: BinanceContract
  readonly time: number
  readonly markPrice: number
  /** Null where there is no index: before a coin's first market. */
  readonly indexPrice: number | null
  /** Of the running interval; null of a dated future. */
  readonly fundingRate: number | null
  readonly nextFundingAt: number | null
}

/** Marks of dated futures as core has them. */
export const datedFuturesOf = (marks: ReadonlyArray<BinanceMark>): ReadonlyArray<DatedFuture & { coin: string }> =>
  marks.flatMap(({ contract: { coin, expiryAt }, indexPrice, markPrice, time }) =>
    expiryAt === null || expiryAt <= time || indexPrice === null
      ? []
      : [{ coin, instrument: instrumentOf(coin, expiryAt), time, expiryAt, price: markPrice, indexPrice }]
  ).sort((a, b) => a.expiryAt - b.expiryAt)
