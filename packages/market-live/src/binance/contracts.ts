import type { DatedFuture } from "@tapeline/core/market"
import { Schema } from "effect"
import { InstantMs, lenientList, Name } from "../source/index.ts"
import { coinUnitOf, datedFutureName } from "../venues/contracts.ts"

/** A Binance futures contract on a coin, margined in a stablecoin. */
export interface BinanceContract {
  readonly coin: string
  readonly symbol: string
  readonly kind: "perpetual" | "dated"
  /** The number of coins in one contract unit, for example 1,000 for `1000PEPEUSDT`. */
  readonly unit: number
  readonly listedAt: number
  readonly expiryAt: number | null
  /**
   * Whether the contract can be traded now. The value is false before the contract opens, during a halt, and during
   * settlement.
   */
  readonly isTrading: boolean
}

export const FuturesInfo = Schema.Struct({
  symbols: lenientList(Schema.Struct({
    symbol: Name,
    // Binance sends an empty contract type for contracts that are not open yet.
    contractType: Schema.Union([Name, Schema.Literal("")]),
    status: Name,
    baseAsset: Name,
    marginAsset: Name,
    onboardDate: InstantMs,
    deliveryDate: InstantMs
  }))
})

/**
 * Binance's names of the contract types whose underlying is a coin. Contracts on stocks and metals have other types and
 * are skipped.
 */
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

/** The current prices of a futures contract, per coin, with the funding rate. */
export interface BinanceMark {
  readonly contract: BinanceContract
  readonly time: number
  readonly markPrice: number
  /** The index price per coin, or null if the coin has no index yet. */
  readonly indexPrice: number | null
  /** The funding rate of the current interval, or null for a dated future. */
  readonly fundingRate: number | null
  readonly nextFundingAt: number | null
}

export const datedFuturesOf = (marks: ReadonlyArray<BinanceMark>): ReadonlyArray<DatedFuture & { coin: string }> =>
  marks.flatMap(({ contract: { coin, expiryAt }, indexPrice, markPrice, time }) =>
    expiryAt === null || expiryAt <= time || indexPrice === null
      ? []
      : [{ coin, instrument: datedFutureName(coin, expiryAt), time, expiryAt, price: markPrice, indexPrice }]
  ).sort((a, b) => a.expiryAt - b.expiryAt)
