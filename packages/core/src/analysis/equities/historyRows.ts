/** A stock's candles as rows of results. */
import { counted } from "../../engine/text/counted.ts"
import { finiteOrNull, instant } from "../../engine/tool/result.ts"
import { candleRows } from "../../market/candleRows.ts"
import type { EquityHistory } from "../../market/equity.ts"
import type { Stock } from "../../market/instrument.ts"

export const historyRows = ({ candles, dividends, splits }: EquityHistory) => ({
  candles: candleRows(candles),
  change_pct: candles.length < 2 ? null : finiteOrNull(100 * (candles.at(-1)!.close / candles[0]!.close - 1)),
  splits: splits.map(({ ratio, time }) => ({ time: instant(time), ratio })),
  dividends: dividends.map(({ amount, time }) => ({ time: instant(time), amount }))
})

/** Returns notes if there are fewer candles than requested, or if the stock is delisted. */
export const historyNotes = ({ candles }: EquityHistory, bars: number, stock: Stock): ReadonlyArray<string> => {
  const notes: Array<string> = []
  if (candles.length < bars) {
    const since = stock.listedAt === null ? "" : `: it has been listed since ${instant(stock.listedAt).slice(0, 10)}`
    notes.push(`Only ${candles.length} of ${counted(bars, "candle")} exist${since}.`)
  }
  if (stock.delistedAt !== null) notes.push(`${stock.symbol} ceased to trade at ${instant(stock.delistedAt)}.`)
  return notes
}
