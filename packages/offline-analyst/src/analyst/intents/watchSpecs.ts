import type { Findings } from "../Findings.ts"
import { ask, type Planned } from "../intent.ts"
import type { Condition, Instrument, Spec } from "./watchCondition.ts"

export type Relative = Extract<Condition, { readonly _tag: "Relative" }>

export const priceOf = ({ of }: { readonly of: Instrument }): Planned =>
  of.market === undefined
    ? ask("get_price", { coin: of.symbol })
    : ask(of.market === "us" ? "get_us_stock" : "get_kr_stock", { symbol: of.symbol })

export const priceNow = (of: Instrument, found: Findings): number | null => {
  const { arguments: args, name } = priceOf({ of })
  const data = found.of(name, args)
  return data.num("price") ?? data.num("price_krw")
}

export const relativeBase = (wanted: Relative, found: Findings): number | null =>
  wanted.base ?? priceNow(wanted.of, found)

/** Returns the watch for a price some percent away from a base price, or null while the base price is unknown. */
export const relativeSpec = (wanted: Relative, found: Findings): Spec | null => {
  const base = relativeBase(wanted, found)
  const factor = 1 + (wanted.isDown ? -1 : 1) * wanted.percent / 100
  const value = base === null ? null : Number((base * factor).toPrecision(6))
  return value === null || value <= 0 ? null : { metric: "price", ...wanted.of, op: wanted.isDown ? "lt" : "gt", value }
}

export type Change = Extract<Condition, { readonly _tag: "Change" }>

/** Returns the watch for a move by an amount. An amount above half of the price is a price itself. */
export const changeSpec = ({ amount, isDown, of }: Change, found: Findings): Spec | null => {
  const now = priceNow(of, found)
  if (now === null) return null
  const value = amount > now / 2 ? amount : Number((now + (isDown ? -amount : amount)).toPrecision(6))
  return { metric: "price", ...of, op: isDown ? "lt" : "gt", value }
}

export type Touch = Extract<Condition, { readonly _tag: "Touch" }>

/** Returns the watch for a price without a direction, or null while the present price is unknown. */
export const touchSpec = ({ of, value }: Touch, found: Findings): Spec | null => {
  const now = priceNow(of, found)
  return now === null ? null : { metric: "price", ...of, op: value < now ? "lt" : "gt", value }
}
