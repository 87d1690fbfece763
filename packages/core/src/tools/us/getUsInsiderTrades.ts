import { Schema } from "effect"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const wholeUsd = roundToDecimals(0)

export const getUsInsiderTrades = specify({
  name: "get_us_insider_trades",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "Trades of a US company's officers and directors (Form 4), and their net buying.",
  parameters: Schema.Struct({
    symbol: SymbolArgument,
    days: withDefault(integerBetween(1, 365), 90)
  }),
  result: Schema.Struct({
    symbol: Schema.String.annotate({ description: "Ticker" }),
    name: Schema.String.annotate({ description: "Company" }),
    trades: Schema.Array(Schema.Struct({
      date: Schema.String.annotate({ description: "Day of the trade in New York" }),
      filed_at: Instant.annotate({ description: "When it was made known" }),
      name: Schema.String.annotate({ description: "Of the insider" }),
      role: Schema.String.annotate({ description: "In the company" }),
      side: Schema.NullOr(Schema.Literals(["buy", "sell", "acquire", "dispose"])).annotate({
        description: "buy and sell are open-market trades; null where the source does not tell the kind"
      }),
      code: Schema.NullOr(Schema.Literals(["P", "S", "A", "M", "G"])).annotate({
        description: "Form 4: P bought, S sold, A granted, M exercised, G given; null: another or not told"
      }),
      shares: quantity("Shares"),
      price_usd: nullableQuantity("A share, USD; null where none was paid, or none is told"),
      usd: nullableQuantity("Shares times price, USD", wholeUsd)
    })).annotate({ description: "By filing, oldest first; the newest 100 are kept" }),
    net_usd: nullableQuantity(
      "Open-market trades alone, of all that were filed: bought less sold, USD; null where one has no price",
      wholeUsd
    ),
    bought_usd: nullableQuantity("USD", wholeUsd),
    sold_usd: nullableQuantity("USD", wholeUsd),
    open_market_trades: Schema.Int,
    insiders_buying: Schema.Int.annotate({ description: "Persons who bought in the market" }),
    insiders_selling: Schema.Int.annotate({ description: "Persons who sold in the market" }),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL", days: 180 }
})
