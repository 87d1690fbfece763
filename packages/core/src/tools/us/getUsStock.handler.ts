import { Effect } from "effect"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { NoData } from "../../market/errors.ts"
import { handlerOf } from "../../tool/implement.ts"
import { finiteOrNull, instant, provenanceOf } from "../../tool/result.ts"
import { getUsStock } from "./getUsStock.ts"

export const handler = handlerOf(
  getUsStock,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ symbol }) {
      const read = yield* equities.quote(symbol)
      const quote = read.value
      if (quote.exchange !== "NASDAQ" && quote.exchange !== "NYSE") {
        return yield* new NoData({
          subject: `${symbol} in the US`,
          reason: { key: "none_listed_elsewhere", params: { symbol, exchange: quote.exchange } }
        })
      }
      const notes: Array<string> = []
      if (quote.pe === null) notes.push("pe is null: the earnings of the last four quarters are not above 0.")
      if (quote.pb === null) notes.push("pb is null: the book value is not above 0.")
      const position = finiteOrNull(((quote.price - quote.low52w) / (quote.high52w - quote.low52w)) * 100)
      if (position === null) notes.push("range_52w.position_pct is null: the price has not moved in 52 weeks.")
      return {
        symbol,
        name: quote.name,
        exchange: quote.exchange,
        sector: quote.sector,
        price: quote.price,
        previous_close: quote.previousClose,
        change_pct: quote.changePct,
        volume: quote.volume,
        turnover_usd: quote.turnover,
        market_cap_usd: quote.marketCap,
        pe: quote.pe,
        pb: quote.pb,
        range_52w: { low: quote.low52w, high: quote.high52w, position_pct: position },
        session: quote.session,
        extended: quote.extended === null ? null : {
          session: quote.extended.session,
          time: instant(quote.extended.time),
          price: quote.extended.price,
          change_pct: (quote.extended.price / quote.price - 1) * 100
        },
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
