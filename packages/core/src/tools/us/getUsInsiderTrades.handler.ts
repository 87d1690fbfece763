import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { formatLocalDate } from "../../analysis/equities/localDate.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import type { InsiderTrade, InsiderTradeKind } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getUsInsiderTrades } from "./getUsInsiderTrades.ts"

const maxTrades = 100

/** The Form 4 code and the side of each kind of insider trade. */
const form4Codes = {
  buy: { code: "P", side: "buy" },
  sell: { code: "S", side: "sell" },
  grant: { code: "A", side: "acquire" },
  exercise: { code: "M", side: "acquire" },
  gift: { code: "G", side: "dispose" },
  other: { code: null, side: null }
} as const satisfies Record<InsiderTradeKind, { readonly code: string | null; readonly side: string | null }>

/** Returns the value of a trade in whole USD, or null if its price is unknown. */
const computeValueUsd = ({ price, shares }: InsiderTrade): number | null =>
  price === null ? null : Math.round(shares * price)

const sumValues = (trades: ReadonlyArray<InsiderTrade>): number | null =>
  trades.reduce<number | null>((sum, trade) => {
    const value = computeValueUsd(trade)
    return sum === null || value === null ? null : sum + value
  }, 0)

const countPersons = (trades: ReadonlyArray<InsiderTrade>): number => new Set(trades.map(({ name }) => name)).size

export const handler = handlerOf(
  getUsInsiderTrades,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ days, symbol: requestedSymbol }) {
      const readForCountry = (symbol: string) => equities.insiderTrades({ symbol, days })
      const lookupOptions = { country: "US", otherTool: "get_kr_stock", nextRead: readForCountry } as const
      const { notes: lookupNotes, stock } = yield* findStock(equities, requestedSymbol, lookupOptions)
      const { symbol } = stock
      const reading = yield* equities.insiderTrades({ symbol, days })
      const trades = reading.value
      const purchases = trades.filter(({ kind }) => kind === "buy")
      const sales = trades.filter(({ kind }) => kind === "sell")
      // A source that does not report kinds gives every trade the kind `other`.
      const hasKinds = trades.length === 0 || trades.some(({ kind }) => kind !== "other")
      const [boughtUsd, soldUsd] = hasKinds ? [sumValues(purchases), sumValues(sales)] : [null, null]
      const notes = [...lookupNotes]
      if (trades.length === 0) notes.push(`No trade was filed within ${days} days.`)
      if (trades.length > maxTrades) notes.push(`The newest ${maxTrades} of ${trades.length} trades are listed.`)
      if (!hasKinds) {
        notes.push("The source does not report the kinds of the trades, so the fields of open-market trades are null.")
      } else if (boughtUsd === null || soldUsd === null) {
        notes.push("An open-market trade has no price, so the sums are null.")
      }
      return {
        symbol,
        name: stock.name,
        trades: trades.slice(-maxTrades).map((trade) => ({
          date: formatLocalDate("US", trade.time),
          filed_at: formatInstant(trade.filedAt),
          name: trade.name,
          role: trade.role,
          ...form4Codes[trade.kind],
          shares: trade.shares,
          price_usd: trade.price,
          usd: computeValueUsd(trade)
        })),
        net_usd: boughtUsd === null || soldUsd === null ? null : boughtUsd - soldUsd,
        bought_usd: boughtUsd,
        sold_usd: soldUsd,
        open_market_trades: purchases.length + sales.length,
        insiders_buying: countPersons(purchases),
        insiders_selling: countPersons(sales),
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
