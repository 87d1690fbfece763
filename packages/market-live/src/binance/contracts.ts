import type { DatedFuture } from "@tapeline/core/market"
import { Schema } from "effect"
import { InstantMs, lenientList, Name } from "../source/index.ts"
import { coinUnitOf, datedFutureName } from "../venues/contracts.ts"

/** A contract on a coin with margin in a stablecoin. */
export interface BinanceContract {
  /** The ticker of the coin on the spot market. */
  readonly coin: string
  readonly symbol: string
  readonly kind: "perpetual" | "dated"
  /** The number of coins in one unit: cheap coins trade by the thousand (`1000PEPEUSDT`). */
  readonly unit: number
  readonly listedAt: number
  /** Null for a perpetual. */
  readonly expiryAt: number | null
  /** False if the contract is not open yet, is halted, or is being settled. */
  readonly isTrading: boolean
}

export const FuturesInfo = Schema.Struct({
  symbols: lenientList(Schema.Struct({
    symbol: Name,
    // Empty for contracts that are not open yet.
    contractType: Schema.Union([Name, Schema.Literal("")]),
    status: Name,
    baseAsset: Name,
    marginAsset: Name,
    onboardDate: InstantMs,
    deliveryDate: InstantMs
  }))
})

/** The types of crypto contracts. Contracts on stocks and metals have other types. */
const kinds: ReadonlyMap<string, BinanceContract["kind"]> = new Map([
  ["PERPETUAL", "perpetual"],
  ["CURRENT_QUARTER", "dated"],
  ["NEXT_QUARTER", "dated"]
])

export const toContracts = (info: typeof FuturesInfo.Type, margin: string): ReadonlyArray<BinanceContract> =>
  info.symbols.flatMap((row) => {
    const { baseAsset, contractType, deliveryDate, marginAsset, onboardDate, status, symbol } = row
    const kind = kinds.get(contractType)
    if (kind === undefined || marginAsset !== margin) return []
    const expiryAt = kind === "dated" ? deliveryDate : null
    return [{
      ...coinUnitOf(baseAsset),
      symbol,
      kind,
      listedAt: onboardDate,
      expiryAt,
      isTrading: status === "TRADING"
    }]
  })

/** The present prices of a contract, per coin. */
export interface BinanceMark {
  readonly contract: BinanceContract
  readonly time: number
  readonly markPrice: number
  /** Null without an index, before the coin's first market. */
  readonly indexPrice: number | null
  /** The rate of the running interval; null for a dated future. */
  readonly fundingRate: number | null
  readonly nextFundingAt: number | null
}

/** Converts marks to core's dated futures. */
export const datedFuturesOf = (marks: ReadonlyArray<BinanceMark>): ReadonlyArray<DatedFuture & { coin: string }> =>
  marks.flatMap(({ contract: { coin, expiryAt }, indexPrice, markPrice, time }) =>
    expiryAt === null || expiryAt <= time || indexPrice === null
      ? []
      : [{ coin, instrument: datedFutureName(coin, expiryAt), time, expiryAt, price: markPrice, indexPrice }]
  ).sort((a, b) => a.expiryAt - b.expiryAt)
