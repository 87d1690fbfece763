/**
 * Smiles of expiries, and what they say at constant maturities.
 */
import { ivAtMaturity, type Smile, smileSummary } from "@tapeline/quant/options"
import type { OptionChain, OptionExpiry, OptionQuote } from "../market/option.ts"
import { daysUntil, yearMs } from "./expiry.ts"

/** Volatilities in percent a year, their differences in points; null where a wing or the money is not quoted. */
export interface SmilePoint {
  readonly atm: number | null
  readonly call25: number | null
  readonly put25: number | null
  /** IV(25-delta call) - IV(25-delta put). */
  readonly rr25: number | null
  /** Mean of the two wings less `atm`. */
  readonly bf25: number | null
}

/** An expiry's smile at a glance. */
export interface TermPoint extends SmilePoint {
  readonly expiryAt: number
  readonly days: number
  readonly forward: number | null
  /** Strikes whose quotes it stands on. */
  readonly n: number
}

/** Somebody bids for it, and the price has a volatility: what nobody bids for is a model's guess. */
const isQuoted = ({ bid, ivPct }: OptionQuote): boolean => bid !== null && ivPct !== null

/**
 * Volatilities by strike of the options out of the money, which are traded and hardly touched by early exercise: puts
 * below the forward, calls from it on. Null without a forward, or with nothing that is bid for.
 */
export const smileOf = ({ expiryAt, forward, quotes }: OptionExpiry, time: number): Smile | null => {
  if (forward === null) return null
  const outside = quotes.filter((quote) => (quote.type === "call") === (quote.strike >= forward) && isQuoted(quote))
  if (outside.length === 0 || !(expiryAt > time)) return null
  return {
    forward,
    years: (expiryAt - time) / yearMs,
    strikes: outside.map(({ strike }) => strike),
    ivs: outside.map(({ ivPct }) => ivPct! / 100)
  }
}

const nothing: SmilePoint = { atm: null, call25: null, put25: null, rr25: null, bf25: null }

const pointOf = (atm: number | null, call25: number | null, put25: number | null): SmilePoint => {
  const wings = call25 !== null && put25 !== null
  return {
    atm,
    call25,
    put25,
    rr25: wings ? call25 - put25 : null,
    bf25: wings && atm !== null ? (call25 + put25) / 2 - atm : null
  }
}

const percentOf = (volatility: number | null): number | null => volatility === null ? null : 100 * volatility

/** Every expiry of a chain at a glance, the nearest first. */
export const termOf = ({ expiries, time }: Pick<OptionChain, "expiries" | "time">): ReadonlyArray<TermPoint> =>
  expiries.map((expiry) => {
    const { expiryAt, forward } = expiry
    const smile = smileOf(expiry, time)
    const summary = smile === null ? null : smileSummary(smile)
    return {
      expiryAt,
      days: daysUntil(expiryAt, time),
      forward,
      n: smile === null ? 0 : smile.strikes.length,
      ...(summary === null
        ? nothing
        : pointOf(percentOf(summary.atm), percentOf(summary.call25), percentOf(summary.put25)))
    }
  })

/**
 * The smile at a constant maturity: at the money and each wing linear in total variance between the two expiries around
 * it that have them; null where none is on one side. At an expiry's own maturity it is that expiry's.
 */
export const atMaturity = (term: ReadonlyArray<TermPoint>, days: number): SmilePoint => {
  const at = (field: "atm" | "call25" | "put25"): number | null => {
    const known = term.filter((point) => point[field] !== null && point.days > 0)
    if (known.length === 0) return null
    return ivAtMaturity({ days: known.map((point) => point.days), ivs: known.map((point) => point[field]!) }, days)
  }
  return pointOf(at("atm"), at("call25"), at("put25"))
}
