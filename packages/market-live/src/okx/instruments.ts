import { Schema } from "effect"
import { InstantMsText, lenientList, Name, PositiveDecimal } from "../source/index.ts"
import type { SpotMarket } from "../venues/contracts.ts"
import { successResponse } from "./rejections.ts"

/** An OKX spot market, with its opening time. */
export interface OkxSpotMarket extends SpotMarket {
  readonly listedAt: number
}

/** An OKX contract on a coin, margined in a stablecoin, with prices per coin and sizes in contracts. */
export interface OkxContract {
  readonly coin: string
  readonly symbol: string
  readonly kind: "perpetual" | "dated"
  readonly coinsPerContract: number
  readonly listedAt: number
  readonly expiryAt: number | null
  readonly isTrading: boolean
}

export type OkxContractKind = OkxContract["kind"]

export const instrumentType = (kind: OkxContractKind): string => kind === "perpetual" ? "SWAP" : "FUTURES"

const Unset = Schema.Literal("")

export const SpotInstruments = successResponse(lenientList(Schema.Struct({
  instId: Name,
  baseCcy: Name,
  quoteCcy: Name,
  state: Name,
  // `listTime` is empty for a market without an opening time.
  listTime: Schema.Union([Unset, InstantMsText])
})))

export const Contracts = successResponse(lenientList(Schema.Struct({
  instId: Name,
  ctType: Schema.Union([Unset, Name]),
  ctVal: Schema.Union([Unset, PositiveDecimal]),
  ctMult: Schema.Union([Unset, PositiveDecimal]),
  ctValCcy: Schema.Union([Unset, Name]),
  settleCcy: Schema.Union([Unset, Name]),
  state: Name,
  alias: Schema.Union([Unset, Name]),
  listTime: Schema.Union([Unset, InstantMsText]),
  expTime: Schema.Union([Unset, InstantMsText])
})))

export const toSpotMarkets = (
  { data }: typeof SpotInstruments.Type,
  quote: string
): ReadonlyArray<OkxSpotMarket> =>
  data.flatMap(({ baseCcy: coin, instId: symbol, listTime: listedAt, quoteCcy, state }) =>
    quoteCcy !== quote || listedAt === "" ? [] : [{ coin, symbol, quote, listedAt, isTrading: state === "live" }]
  )

/**
 * The aliases by which OKX marks dated futures. A contract without one of these aliases is a perpetual, even if OKX
 * lists the contract as a dated future.
 */
const datedAliases = new Set([
  "this_week",
  "next_week",
  "this_month",
  "next_month",
  "quarter",
  "next_quarter",
  "third_quarter"
])

export const toContracts = (
  { data }: typeof Contracts.Type,
  kind: OkxContractKind,
  margin: string
): ReadonlyArray<OkxContract> =>
  data.flatMap(
    ({ alias, ctMult, ctType, ctVal, ctValCcy: coin, expTime, instId: symbol, listTime, settleCcy, state }) => {
      if (ctType !== "linear" || settleCcy !== margin || ctVal === "" || coin === "" || listTime === "") return []
      if (kind === "dated" && (expTime === "" || !datedAliases.has(alias))) return []
      const expiryAt = kind === "dated" && expTime !== "" ? expTime : null
      const coins = ctVal * (ctMult === "" ? 1 : ctMult)
      return [{
        coin,
        symbol,
        kind,
        coinsPerContract: coins,
        listedAt: listTime,
        expiryAt,
        isTrading: state === "live"
      }]
    }
  )
