/**
 * Fits an arbitrage-free smile to the option quotes of an expiry. All option tools derive volatilities and skews from
 * the fitted smile.
 */
import { ivAtDelta, ivAtStrike, type Smile, strikeAtDelta, sviAtDelta, sviVariance } from "@tapeline/quant/options"
import { Effect } from "effect"
import type { Compute, ComputeError } from "../../engine/compute/Compute.ts"
import type { OptionChain, OptionExpiry, OptionQuote, OptionType } from "../../market/option.ts"
import { yearMs } from "./expiry.ts"
import { fitSurfaceJob, type SliceFit } from "./surfaceJob.ts"

export interface FittedSmile {
  readonly quotes: Smile
  /**
   * The fitted SVI slice; null for fewer than five quotes. If there is no fit, volatilities are interpolated between
   * the quotes.
   */
  readonly fit: typeof SliceFit.Type | null
}

/** Returns whether an option has a volatility and a bid. The price of an option without a bid comes from a model. */
const isQuoted = ({ bid, ivPct }: OptionQuote): boolean => bid !== null && ivPct !== null

/**
 * Returns the volatilities of out-of-the-money options by strike. Returns null without a forward or without bids.
 * Out-of-the-money options trade most and are hardly affected by early exercise.
 */
const toSmile = ({ expiryAt, forward, quotes }: OptionExpiry, time: number): Smile | null => {
  if (forward === null) return null
  const outOfTheMoney = quotes.filter((quote) =>
    (quote.type === "call") === (quote.strike >= forward) && isQuoted(quote)
  )
  if (outOfTheMoney.length === 0 || !(expiryAt > time)) return null
  return {
    forward,
    years: (expiryAt - time) / yearMs,
    strikes: outOfTheMoney.map(({ strike }) => strike),
    ivs: outOfTheMoney.map(({ ivPct }) => ivPct! / 100)
  }
}

/** The minimum weight of a quote, relative to the weight of a quote at the money. */
const minWeight = 0.01

/** Converts a smile to the input of the fit. The weights of quotes are roughly proportional to the quotes' vegas. */
const toSlice = ({ forward, ivs, strikes, years }: Smile) => {
  const k = Float64Array.from(strikes, (strike) => Math.log(strike / forward))
  return {
    years,
    k,
    ivs: Float64Array.from(ivs),
    weights: k.map((x, i) => Math.max(minWeight, Math.exp(-0.5 * x * x / (ivs[i]! ** 2 * years))))
  }
}

const emptySlice = { years: 1, k: new Float64Array(0), ivs: new Float64Array(0), weights: new Float64Array(0) }

export interface FittedSurface {
  /** The fitted smiles in the order of the expiries. A smile is null if the expiry has no quotes. */
  readonly smiles: ReadonlyArray<FittedSmile | null>
  /** Whether total variance never falls with the expiry; null for fewer than two slices. */
  readonly calendarFree: boolean | null
}

export const fitSurface = Effect.fnUntraced(function*(
  compute: typeof Compute["Service"],
  { expiries, time }: Pick<OptionChain, "expiries" | "time">
): Effect.fn.Return<FittedSurface, ComputeError> {
  const quotes = expiries.map((expiry) => toSmile(expiry, time))
  const slices = quotes.map((smile) => smile === null ? emptySlice : toSlice(smile))
  const { calendarFree, fits } = yield* compute.run(fitSurfaceJob, { slices })
  return {
    smiles: quotes.map((smile, i) => smile === null ? null : { quotes: smile, fit: fits[i] ?? null }),
    calendarFree
  }
})

/** Fits the smile of one expiry, or returns null if the expiry has no quotes. */
export const fitSmile = (
  compute: typeof Compute["Service"],
  expiry: OptionExpiry,
  time: number
): Effect.Effect<FittedSmile | null, ComputeError> =>
  Effect.map(fitSurface(compute, { expiries: [expiry], time }), ({ smiles }) => smiles[0] ?? null)

/** Returns the log-moneyness of the lowest and the highest quoted strike. */
const getStrikeRange = ({ forward, strikes }: Smile): readonly [from: number, to: number] => [
  Math.log(strikes[0]! / forward),
  Math.log(strikes[strikes.length - 1]! / forward)
]

/**
 * Returns the volatility at the forward, where 1.00 is 100% a year. Returns null if the forward is outside the quoted
 * strikes.
 */
export const getIvAtForward = ({ fit, quotes }: FittedSmile): number | null => {
  if (fit === null) return ivAtStrike(quotes, quotes.forward)
  const [from, to] = getStrikeRange(quotes)
  return from <= 0 && to >= 0 ? Math.sqrt(sviVariance(fit.svi, 0) / quotes.years) : null
}

export interface OptionAtDelta {
  readonly strike: number
  /** The implied volatility, 1.00 = 100% a year. */
  readonly iv: number
}

/**
 * Returns the option with a given delta, from 0 to 1 for calls and puts. Returns null if the option's strike is outside
 * the quoted strikes.
 */
export const findOptionAtDelta = (
  { fit, quotes }: FittedSmile,
  delta: number,
  type: OptionType
): OptionAtDelta | null => {
  if (fit === null) {
    const iv = ivAtDelta(quotes, delta, type)
    const strike = strikeAtDelta(quotes, delta, type)
    return iv === null || strike === null ? null : { strike, iv }
  }
  const [from, to] = getStrikeRange(quotes)
  const k = sviAtDelta(fit.svi, delta, type, from, to)
  return k === null ? null : {
    strike: quotes.forward * Math.exp(k),
    iv: Math.sqrt(sviVariance(fit.svi, k) / quotes.years)
  }
}
