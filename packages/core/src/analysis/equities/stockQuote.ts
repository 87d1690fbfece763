/** The fields of a stock's quote, and notes on missing ones, for all countries. */
import { finiteOrNull, instant } from "../../engine/tool/result.ts"
import type { StockQuote } from "../../market/equity.ts"

/** Explains why a ratio is null: its divisor is unknown or not above 0, or the ratio is not reported. */
const whyNot = (name: string, divisor: number | null, what: string): string =>
  divisor === null || divisor > 0
    ? `${name} is null: no source tells the ${what}.`
    : `${name} is null: the ${what} is not above 0.`

/** Returns the position of a price in its range. Null without a range. */
const positionOf = ({ high52w, low52w, price }: StockQuote): number | null =>
  low52w === null || high52w === null ? null : finiteOrNull((price - low52w) / (high52w - low52w) * 100)

/** Returns notes on missing fields. `suffix` ends the names of fields in the quote's currency. */
export const quoteNotes = (quote: StockQuote, suffix: "usd" | "krw"): ReadonlyArray<string> => {
  const { bookValue, changePct, eps, high52w, low52w, marketCap, pb, pe, turnover } = quote
  const notes: Array<string> = []
  if (changePct === null) notes.push("change_pct is null: no close of an earlier session is known.")
  const unknown = [
    ...(turnover === null ? [`turnover_${suffix}`] : []),
    ...(marketCap === null ? [`market_cap_${suffix}`] : []),
    ...(eps === null ? ["eps"] : []),
    ...(low52w === null || high52w === null ? ["range_52w"] : []),
    ...(suffix === "krw" && quote.foreignSharePct === null ? ["foreign_share_pct"] : [])
  ]
  if (unknown.length > 0) notes.push(`No source tells: ${unknown.join(", ")}.`)
  if (pe === null) notes.push(whyNot("pe", eps, "sum of the last four quarters' earnings"))
  if (pb === null) notes.push(whyNot("pb", bookValue, "book value"))
  if (positionOf(quote) === null && low52w !== null && high52w !== null) {
    notes.push("range_52w.position_pct is null: the price has not moved in 52 weeks.")
  }
  return notes
}

/**
 * Returns the fields that quotes of all countries share. Amounts of money are added elsewhere, named by their currency.
 */
export const quoteRow = (quote: StockQuote) => {
  const { extended } = quote
  return {
    symbol: quote.symbol,
    name: quote.name,
    sector: quote.sector,
    price_time: instant(quote.time),
    previous_close: quote.previousClose,
    change_pct: quote.changePct,
    volume: quote.volume,
    eps: quote.eps,
    pe: quote.pe,
    pb: quote.pb,
    range_52w: { low: quote.low52w, high: quote.high52w, position_pct: positionOf(quote) },
    session: quote.session,
    extended: extended === null ? null : {
      session: extended.session,
      time: instant(extended.time),
      price: extended.price,
      change_pct: (extended.price / quote.price - 1) * 100
    }
  }
}
