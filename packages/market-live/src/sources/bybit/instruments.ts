import { Schema } from "effect"
import { InstantMsText, listOf, Name } from "../../source/index.ts"
import { coinUnitOf } from "../coinUnit.ts"
import type { SpotMarket } from "../spotMarket.ts"
import { answered } from "./refusals.ts"

/** A contract, and the number of coins in one unit (`1000PEPEUSDT`: 1,000). */
export interface BybitContract {
  readonly symbol: string
  readonly unit: number
}

/** A listed contract. */
export interface BybitListed extends BybitContract {
  readonly coin: string
  readonly kind: "perpetual" | "dated"
  readonly listedAt: number
  /** Null for a perpetual. */
  readonly expiryAt: number | null
  readonly trades: boolean
}

export const SpotInstruments = answered(Schema.Struct({
  category: Schema.Literal("spot"),
  list: listOf(Schema.Struct({ symbol: Name, baseCoin: Name, quoteCoin: Name, status: Name }))
}))

export const spotMarketsOf = (
  { result: { list } }: typeof SpotInstruments.Type,
  quote: string
): ReadonlyArray<SpotMarket> =>
  list.filter(({ quoteCoin }) => quoteCoin === quote).map(({ baseCoin: coin, status, symbol }) => ({
    coin,
    symbol,
    quote,
    trades: status === "Trading"
  }))

export const Contracts = answered(Schema.Struct({
  category: Schema.Literal("linear"),
  list: listOf(Schema.Struct({
    symbol: Name,
    contractType: Name,
    status: Name,
    baseCoin: Name,
    settleCoin: Name,
    launchTime: InstantMsText,
    deliveryTime: Schema.Union([Schema.Literals(["", "0"]), InstantMsText])
  })),
  // Empty on the last page.
  nextPageCursor: Schema.Union([Schema.Literal(""), Name])
}))

const kinds: ReadonlyMap<string, BybitListed["kind"]> = new Map([
  ["LinearPerpetual", "perpetual"],
  ["LinearFutures", "dated"]
])

export const contractsOf = (
  { result: { list } }: typeof Contracts.Type,
  margin: string
): ReadonlyArray<BybitListed> =>
  list.flatMap(({ baseCoin, contractType, deliveryTime, launchTime: listedAt, settleCoin, status, symbol }) => {
    const kind = kinds.get(contractType)
    if (kind === undefined || settleCoin !== margin) return []
    const expiryAt = kind === "dated" && typeof deliveryTime === "number" ? deliveryTime : null
    if (kind === "dated" && expiryAt === null) return []
    return [{ ...coinUnitOf(baseCoin), symbol, kind, listedAt, expiryAt, trades: status === "Trading" }]
  })
