import { Effect } from "effect"
import type { StockQuote } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { NoData } from "../../market/errors.ts"
import { type EquityExchange, usExchanges } from "../../market/instrument.ts"
import { handlerOf } from "../../tool/implement.ts"
import { finiteOrNull, instant, provenanceOf } from "../../tool/result.ts"
import { getUsStock } from "./getUsStock.ts"

type UsExchange = typeof usExchanges[number]

const isAmerican = (exchange: EquityExchange): exchange is UsExchange =>
  usExchanges.some((american) => american === exchange)

/** Why a ratio is null: what it divides by is not told, or not above 0; or nobody tells the ratio. */
const whyNot = (name: string, divisor: number | null, what: string): string =>
  divisor === null || divisor > 0
    ? `${name} is null: no source tells the ${what}.`
    : `${name} is null: the ${what} is not above 0.`

/** What a quote lacks, and why. */
const notesOf = (quote: StockQuote, position: number | null): ReadonlyArray<string> => {
  const { bookValue, changePct, eps, high52w, low52w, marketCap, pb, pe, turnover } = quote
  const notes: Array<string> = []
  if (changePct === null) notes.push("change_pct is null: no close of an earlier session is known.")
  const unknown = [
    ...(turnover === null ? ["turnover_usd"] : []),
    ...(marketCap === null ? ["market_cap_usd"] : []),
    ...(eps === null ? ["eps"] : []),
    ...(low52w === null || high52w === null ? ["range_52w"] : [])
  ]
  if (unknown.length > 0) notes.push(`No source tells: ${unknown.join(", ")}.`)
  if (pe === null) notes.push(whyNot("pe", eps, "sum of the last four quarters' earnings"))
  if (pb === null) notes.push(whyNot("pb", bookValue, "book value"))
  if (position === null && low52w !== null && high52w !== null) {
    notes.push("range_52w.position_pct is null: the price has not moved in 52 weeks.")
  }
  return notes
}

/** Where a price lies in its range; null without one. */
const positionOf = ({ high52w, low52w, price }: StockQuote): number | null =>
  low52w === null || high52w === null ? null : finiteOrNull((price - low52w) / (high52w - low52w) * 100)

export const handler = handlerOf(
  getUsStock,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ symbol }) {
      const read = yield* equities.quote(symbol)
      const quote = read.value
      const { exchange, extended } = quote
      if (!isAmerican(exchange)) {
        return yield* new NoData({
          subject: `${symbol} in the US`,
          reason: { key: "none_listed_elsewhere", params: { symbol, exchange } }
        })
      }
      const position = positionOf(quote)
      return {
        symbol,
        name: quote.name,
        exchange,
        sector: quote.sector,
        price: quote.price,
        price_time: instant(quote.time),
        previous_close: quote.previousClose,
        change_pct: quote.changePct,
        volume: quote.volume,
        turnover_usd: quote.turnover,
        market_cap_usd: quote.marketCap,
        eps: quote.eps,
        pe: quote.pe,
        pb: quote.pb,
        range_52w: { low: quote.low52w, high: quote.high52w, position_pct: position },
        session: quote.session,
        extended: extended === null ? null : {
          session: extended.session,
          time: instant(extended.time),
          price: extended.price,
          change_pct: (extended.price / quote.price - 1) * 100
        },
        notes: notesOf(quote, position),
        ...provenanceOf(read)
      }
    })
  })
)
