import { Schema } from "effect"
import { InstantMsText, lenientList, Name } from "../source/index.ts"
import { coinUnitOf, type SpotMarket } from "../venues/contracts.ts"
import { successResponse } from "./rejections.ts"

/** A Bybit contract. `unit` is the number of coins in one contract unit, for example 1,000 for `1000PEPEUSDT`. */
export interface BybitContract {
  readonly symbol: string
  readonly unit: number
}

export interface BybitListedContract extends BybitContract {
  readonly coin: string
  readonly kind: "perpetual" | "dated"
  readonly listedAt: number
  readonly expiryAt: number | null
  readonly isTrading: boolean
}

export const SpotInstruments = successResponse(Schema.Struct({
  category: Schema.Literal("spot"),
  list: lenientList(Schema.Struct({ symbol: Name, baseCoin: Name, quoteCoin: Name, status: Name }))
}))

export const toSpotMarkets = (
  { result: { list } }: typeof SpotInstruments.Type,
  quote: string
): ReadonlyArray<SpotMarket> =>
  list.filter(({ quoteCoin }) => quoteCoin === quote).map(({ baseCoin: coin, status, symbol }) => ({
    coin,
    symbol,
    quote,
    isTrading: status === "Trading"
  }))

export const Contracts = successResponse(Schema.Struct({
  category: Schema.Literal("linear"),
  list: lenientList(Schema.Struct({
    symbol: Name,
    contractType: Name,
    status: Name,
    baseCoin: Name,
    settleCoin: Name,
    launchTime: InstantMsText,
    deliveryTime: Schema.Union([Schema.Literals(["", "0"]), InstantMsText])
  })),
  // The cursor is empty on the last page.
  nextPageCursor: Schema.Union([Schema.Literal(""), Name])
}))

const kinds: ReadonlyMap<string, BybitListedContract["kind"]> = new Map([
  ["LinearPerpetual", "perpetual"],
  ["LinearFutures", "dated"]
])

export const toContracts = (
  { result: { list } }: typeof Contracts.Type,
  margin: string
): ReadonlyArray<BybitListedContract> =>
  list.flatMap(({ baseCoin, contractType, deliveryTime, launchTime: listedAt, settleCoin, status, symbol }) => {
    const kind = kinds.get(contractType)
    if (kind === undefined || settleCoin !== margin) return []
    const expiryAt = kind === "dated" && typeof deliveryTime === "number" ? deliveryTime : null
    if (kind === "dated" && expiryAt === null) return []
    return [{ ...coinUnitOf(baseCoin), symbol, kind, listedAt, expiryAt, isTrading: status === "Trading" }]
  })
