/** Prices combinations of listed options at the options' quotes instead of model prices. */
import { probabilityOfProfit, structurePayoff } from "@tapeline/quant/options"
import { Effect } from "effect"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { NoData } from "../../market/errors.ts"
import type { OptionChain, OptionExpiry, OptionQuote, OptionType } from "../../market/option.ts"
import { yearMs } from "./expiry.ts"
import { type FittedSmile, getIvAtForward } from "./fittedSmile.ts"
import { computeGreeks, type OptionGreeks } from "./greeks.ts"

export interface LegRequest {
  readonly type: OptionType
  readonly strike: number
  readonly side: "buy" | "sell"
  /** The quantity in units of the underlying, above 0. */
  readonly qty: number
}

/**
 * The quote that determines a leg's price: the ask for a bought leg, and the bid for a sold leg. If the ask or the bid
 * is missing, the mark determines the price.
 */
export type PriceSource = "ask" | "bid" | "mark"

/** A priced leg, at the listed strike nearest to the requested strike. */
export interface PricedOptionLeg {
  readonly request: LegRequest
  readonly quote: OptionQuote
  /** The price in USD per unit of the underlying. */
  readonly price: number
  readonly priceSource: PriceSource
  /** The middle of bid and ask. Without both quotes, `mid` is the mark, or else `price`. */
  readonly mid: number
  /** The greeks of a long position of one unit; null without a volatility. */
  readonly greeks: OptionGreeks | null
}

export interface PricedOptionStructure {
  readonly legs: ReadonlyArray<PricedOptionLeg>
  /**
   * The total premium that the buyer of the structure pays, in USD. If the premium is negative, the buyer receives it.
   */
  readonly debitUsd: number
  readonly midDebitUsd: number
  readonly breakEvens: ReadonlyArray<number>
  /** The maximum profit in USD; null if the profit is unbounded. */
  readonly maxProfitUsd: number | null
  readonly maxLossUsd: number | null
  readonly probabilityOfProfit: number | null
  /** The sums of the greeks over all legs; null if a leg has no greeks. */
  readonly greeks: OptionGreeks | null
  /** The at-the-money volatility in percent per year, rounded for results; null if no option at the money is quoted. */
  readonly atmIvPct: number | null
  readonly days: number
  /** The profit or loss at the expiry, for selected prices of the underlying. */
  readonly payoff: ReadonlyArray<{ readonly price: number; readonly pnlUsd: number }>
  readonly notes: ReadonlyArray<string>
}

/** Returns the listed quote of the requested type with the nearest strike, or the first of two equally near quotes. */
const findNearestQuote = (expiry: OptionExpiry, { strike, type }: LegRequest): OptionQuote | undefined =>
  expiry.quotes.reduce<OptionQuote | undefined>(
    (best, quote) =>
      quote.type === type &&
        (best === undefined || Math.abs(quote.strike - strike) < Math.abs(best.strike - strike))
        ? quote
        : best,
    undefined
  )

const getMidPrice = ({ ask, bid, mark }: OptionQuote): number | null =>
  bid !== null && ask !== null ? (bid + ask) / 2 : mark

const priceLeg = (
  chain: OptionChain,
  expiry: OptionExpiry,
  request: LegRequest
): Effect.Effect<PricedOptionLeg, NoData> => {
  const quote = findNearestQuote(expiry, request)
  const source = request.side === "buy" ? "ask" : "bid"
  const quoted = quote?.[source] ?? null
  const price = quoted ?? quote?.mark ?? null
  if (quote === undefined || price === null) {
    const option = quote?.instrument ?? `${chain.underlying} ${request.type}s`
    return Effect.fail(
      new NoData({ subject: `a price of ${option}`, reason: { key: "none_option_price", params: { option } } })
    )
  }
  return Effect.succeed({
    request,
    quote,
    price,
    priceSource: quoted === null ? "mark" : source,
    mid: getMidPrice(quote) ?? price,
    greeks: computeGreeks(expiry, quote, chain.time)
  })
}

const getSignedQuantity = ({ request }: PricedOptionLeg): number => request.side === "buy" ? request.qty : -request.qty

/** Sums the rounded greeks of legs, so that a user can reproduce the sums. */
const sumGreeks = (legs: ReadonlyArray<PricedOptionLeg>): OptionGreeks | null => {
  const sum = { delta: 0, gamma: 0, thetaUsdPerDay: 0, vegaUsdPerPt: 0 }
  for (const leg of legs) {
    if (leg.greeks === null) return null
    const qty = getSignedQuantity(leg)
    sum.delta += qty * leg.greeks.delta
    sum.gamma += qty * leg.greeks.gamma
    sum.thetaUsdPerDay += qty * leg.greeks.thetaUsdPerDay
    sum.vegaUsdPerPt += qty * leg.greeks.vegaUsdPerPt
  }
  return sum
}

const gridPoints = 9

/**
 * Returns the underlying's prices at which the payoff is reported: 0, the strikes, the break-evens, and a regular grid.
 */
const makePayoffPrices = (
  strikes: ReadonlyArray<number>,
  breakEvens: ReadonlyArray<number>,
  forward: number,
  deviation: number
) => {
  const spread = Math.exp(3 * Math.min(1, deviation))
  const low = Math.min(forward / spread, 0.9 * Math.min(...strikes))
  const high = Math.max(forward * spread, 1.1 * Math.max(...strikes))
  const grid = Array.from(
    { length: gridPoints },
    (_, i) => Number((low + (high - low) * (i / (gridPoints - 1))).toPrecision(3))
  )
  return [...new Set([0, ...grid, ...strikes, ...breakEvens])].sort((a, b) => a - b)
}

const makeStructureNotes = (
  legs: ReadonlyArray<PricedOptionLeg>,
  unbounded: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const substituted = legs.filter(({ quote, request }) => quote.strike !== request.strike)
  const pricedAtMark = legs.filter(({ priceSource }) => priceSource === "mark")
  const withoutGreeks = legs.filter(({ greeks }) => greeks === null)
  const getInstrument = ({ quote }: PricedOptionLeg): string => quote.instrument
  return [
    ...unbounded.map((text) =>
      `${text[0]!.toUpperCase()}${text.slice(1)}: ${
        text.startsWith("profit") ? "max_profit_usd" : "max_loss_usd"
      } is null.`
    ),
    ...(substituted.length > 0
      ? [
        `Strikes that are not listed were replaced by the nearest: ${
          substituted.map(({ quote, request }) => `${request.strike} by ${quote.strike}`).join(", ")
        }.`
      ]
      : []),
    ...(pricedAtMark.length > 0
      ? [
        `Priced at the mark, because the required side has no quote; a trade at the mark may be impossible: ${
          pricedAtMark.map(getInstrument).join(", ")
        }.`
      ]
      : []),
    ...(withoutGreeks.length > 0
      ? [`Greeks are null because the volatility is unknown: ${withoutGreeks.map(getInstrument).join(", ")}.`]
      : [])
  ]
}

/**
 * Prices the legs of an option structure in one expiry at bid or ask. Fails with `NoData` if an option has no price.
 */
export const priceStructure = Effect.fnUntraced(function*(
  chain: OptionChain,
  expiry: OptionExpiry,
  smile: FittedSmile | null,
  requests: ReadonlyArray<LegRequest>
): Effect.fn.Return<PricedOptionStructure, NoData> {
  const legs = yield* Effect.forEach(requests, (request) => priceLeg(chain, expiry, request))
  const structure = structurePayoff(legs.map(({ price, quote, request }) => ({
    type: quote.type,
    strike: quote.strike,
    side: request.side,
    qty: request.qty,
    premium: price
  })))
  const years = (expiry.expiryAt - chain.time) / yearMs
  const atm = smile === null ? null : getIvAtForward(smile)
  const atmIvPct = atm === null ? null : percent(100 * atm)
  const deviation = atmIvPct === null ? null : (atmIvPct / 100) * Math.sqrt(years)
  const forward = expiry.forward ?? chain.spot
  const breakEvens = structure.breakEvens.map(roundToDecimals(8))
  const strikes = legs.map(({ quote }) => quote.strike)
  return {
    legs,
    debitUsd: structure.cost,
    midDebitUsd: legs.reduce((sum, leg) => sum + getSignedQuantity(leg) * leg.mid, 0),
    breakEvens,
    maxProfitUsd: structure.maxProfit,
    maxLossUsd: structure.maxLoss,
    probabilityOfProfit: deviation === null ? null : probabilityOfProfit(structure, forward, deviation),
    greeks: sumGreeks(legs),
    atmIvPct,
    days: years * 365,
    payoff: makePayoffPrices(strikes, breakEvens, forward, deviation ?? 0.5).map((price) => ({
      price,
      pnlUsd: structure.payoff(price)
    })),
    notes: [
      ...makeStructureNotes(legs, structure.notes),
      ...(deviation === null ? ["probability_of_profit is null: this expiry has no quotes at the money."] : [])
    ]
  }
})
