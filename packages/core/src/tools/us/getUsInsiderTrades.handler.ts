import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { localDate } from "../../analysis/equities/localDate.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import type { InsiderTrade, InsiderTradeKind } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getUsInsiderTrades } from "./getUsInsiderTrades.ts"

const mostShown = 100

/** The Form 4 code of each kind, and the direction of its shares. */
const coded = {
  buy: { code: "P", side: "buy" },
  sell: { code: "S", side: "sell" },
  grant: { code: "A", side: "acquire" },
  exercise: { code: "M", side: "acquire" },
  gift: { code: "G", side: "dispose" },
  other: { code: null, side: null }
} as const satisfies Record<InsiderTradeKind, { readonly code: string | null; readonly side: string | null }>

/** In whole USD, so that the sums match the rounded values. */
const valueOf = ({ price, shares }: InsiderTrade): number | null => price === null ? null : Math.round(shares * price)

const sumOf = (trades: ReadonlyArray<InsiderTrade>): number | null =>
  trades.reduce<number | null>((sum, trade) => {
    const value = valueOf(trade)
    return sum === null || value === null ? null : sum + value
  }, 0)

const persons = (trades: ReadonlyArray<InsiderTrade>): number => new Set(trades.map(({ name }) => name)).size

export const handler = handlerOf(
  getUsInsiderTrades,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ days, symbol: asked }) {
      const next = (symbol: string) => equities.insiderTrades({ symbol, days })
      const from = { country: "US", instead: "get_kr_stock", next } as const
      const { notes: taken, stock } = yield* findStock(equities, asked, from)
      const { symbol } = stock
      const read = yield* equities.insiderTrades({ symbol, days })
      const trades = read.value
      const bought = trades.filter(({ kind }) => kind === "buy")
      const sold = trades.filter(({ kind }) => kind === "sell")
      // A source that does not report kinds gives every trade the kind `other`.
      const told = trades.length === 0 || trades.some(({ kind }) => kind !== "other")
      const [boughtUsd, soldUsd] = told ? [sumOf(bought), sumOf(sold)] : [null, null]
      const notes = [...taken]
      if (trades.length === 0) notes.push(`No trade was filed within ${days} days.`)
      if (trades.length > mostShown) notes.push(`The newest ${mostShown} of ${trades.length} trades are shown.`)
      if (!told) notes.push("The source tells no kind of any trade, so what was bought and sold in the market is null.")
      else if (boughtUsd === null || soldUsd === null) {
        notes.push("An open-market trade has no price, so the sums are null.")
      }
      return {
        symbol,
        name: stock.name,
        trades: trades.slice(-mostShown).map((trade) => ({
          date: localDate("US", trade.time),
          filed_at: instant(trade.filedAt),
          name: trade.name,
          role: trade.role,
          ...coded[trade.kind],
          shares: trade.shares,
          price_usd: trade.price,
          usd: valueOf(trade)
        })),
        net_usd: boughtUsd === null || soldUsd === null ? null : boughtUsd - soldUsd,
        bought_usd: boughtUsd,
        sold_usd: soldUsd,
        open_market_trades: bought.length + sold.length,
        insiders_buying: persons(bought),
        insiders_selling: persons(sold),
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
