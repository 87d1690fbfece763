import { formatCount } from "../../engine/text/formatting.ts"
import { finiteOrNull, formatInstant } from "../../engine/tool/result.ts"
import type { EquityHistory, EquityMarketSummary, IndexQuote, StockQuote } from "../../market/equity.ts"
import type { Stock } from "../../market/instrument.ts"
import { toCandleRows } from "../../market/resultRows.ts"

export const toHistoryRows = ({ candles, dividends, splits }: EquityHistory) => ({
  candles: toCandleRows(candles),
  change_pct: candles.length < 2 ? null : finiteOrNull(100 * (candles.at(-1)!.close / candles[0]!.close - 1)),
  splits: splits.map(({ ratio, time }) => ({ time: formatInstant(time), ratio })),
  dividends: dividends.map(({ amount, time }) => ({ time: formatInstant(time), amount }))
})

/** Returns notes for a candle history that is shorter than requested or that belongs to a delisted stock. */
export const makeHistoryNotes = ({ candles }: EquityHistory, bars: number, stock: Stock): ReadonlyArray<string> => {
  const notes: Array<string> = []
  if (candles.length < bars) {
    const since = stock.listedAt === null
      ? ""
      : `: it has been listed since ${formatInstant(stock.listedAt).slice(0, 10)}`
    notes.push(`Only ${candles.length} of ${formatCount(bars, "candle")} exist${since}.`)
  }
  if (stock.delistedAt !== null) notes.push(`${stock.symbol} stopped trading at ${formatInstant(stock.delistedAt)}.`)
  return notes
}

export const toIndexRow = ({ changePct, previousClose, time, value }: IndexQuote) => ({
  value,
  previous_close: previousClose,
  change_pct: changePct,
  time: formatInstant(time)
})

export const toNamedIndexRow = (quote: IndexQuote) => ({ index: quote.index, name: quote.name, ...toIndexRow(quote) })

export const toMarketRow = ({ breadth, sectors, session, time }: EquityMarketSummary) => ({
  session,
  traded_at: formatInstant(time),
  breadth: {
    ...breadth,
    advancing_pct: finiteOrNull((100 * breadth.advancing) / (breadth.advancing + breadth.declining))
  },
  sectors: sectors.map(({ changePct, sector }) => ({ sector, change_pct: changePct }))
})

const explainNullRatio = (name: string, divisor: number | null, divisorDescription: string): string =>
  divisor === null || divisor > 0
    ? `${name} is null: no source reports the ${divisorDescription}.`
    : `${name} is null: the ${divisorDescription} is not above 0.`

const getRangePosition = ({ high52w, low52w, price }: StockQuote): number | null =>
  low52w === null || high52w === null ? null : finiteOrNull((price - low52w) / (high52w - low52w) * 100)

/** Returns notes on the missing fields of a stock quote. `suffix` is the currency at the end of the fields' names. */
export const makeQuoteNotes = (quote: StockQuote, suffix: "usd" | "krw"): ReadonlyArray<string> => {
  const { bookValue, changePct, eps, high52w, low52w, marketCap, pb, pe, turnover } = quote
  const notes: Array<string> = []
  if (changePct === null) notes.push("change_pct is null: the previous close is unknown.")
  const unknown = [
    ...(turnover === null ? [`turnover_${suffix}`] : []),
    ...(marketCap === null ? [`market_cap_${suffix}`] : []),
    ...(eps === null ? ["eps"] : []),
    ...(low52w === null || high52w === null ? ["range_52w"] : []),
    ...(suffix === "krw" && quote.foreignSharePct === null ? ["foreign_share_pct"] : [])
  ]
  if (unknown.length > 0) notes.push(`Not reported by any source: ${unknown.join(", ")}.`)
  if (pe === null) notes.push(explainNullRatio("pe", eps, "sum of the last four quarters' earnings"))
  if (pb === null) notes.push(explainNullRatio("pb", bookValue, "book value"))
  if (getRangePosition(quote) === null && low52w !== null && high52w !== null) {
    notes.push("range_52w.position_pct is null: the price has not moved in 52 weeks.")
  }
  return notes
}

/** Returns the quote fields that all countries share. The row contains no amounts of money. */
export const toQuoteRow = (quote: StockQuote) => {
  const { extended } = quote
  return {
    symbol: quote.symbol,
    name: quote.name,
    sector: quote.sector,
    price_time: formatInstant(quote.time),
    previous_close: quote.previousClose,
    change_pct: quote.changePct,
    volume: quote.volume,
    eps: quote.eps,
    pe: quote.pe,
    pb: quote.pb,
    range_52w: { low: quote.low52w, high: quote.high52w, position_pct: getRangePosition(quote) },
    session: quote.session,
    extended: extended === null ? null : {
      session: extended.session,
      time: formatInstant(extended.time),
      price: extended.price,
      change_pct: (extended.price / quote.price - 1) * 100
    }
  }
}
