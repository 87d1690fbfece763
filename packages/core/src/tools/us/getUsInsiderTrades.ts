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
      filed_at: Instant.annotate({ description: "Time of the filing" }),
      name: Schema.String.annotate({ description: "Name of the insider" }),
      role: Schema.String.annotate({ description: "Role in the company" }),
      side: Schema.NullOr(Schema.Literals(["buy", "sell", "acquire", "dispose"])).annotate({
        description: "buy and sell are open-market trades; null if the source does not report the kind"
      }),
      code: Schema.NullOr(Schema.Literals(["P", "S", "A", "M", "G"])).annotate({
        description:
          "Code of Form 4: P bought, S sold, A granted, M exercised, G gift; null if different or not reported"
      }),
      shares: quantity("Shares"),
      price_usd: nullableQuantity("Price per share, USD; null if no price was paid or reported"),
      usd: nullableQuantity("Shares times price, USD", wholeUsd)
    })).annotate({ description: "In order of filing, oldest first; at most the newest 100" }),
    net_usd: nullableQuantity(
      "Bought minus sold in all filed open-market trades, USD; null if a trade has no price",
      wholeUsd
    ),
    bought_usd: nullableQuantity("USD", wholeUsd),
    sold_usd: nullableQuantity("USD", wholeUsd),
    open_market_trades: Schema.Int,
    insiders_buying: Schema.Int.annotate({ description: "Number of persons who bought in the market" }),
    insiders_selling: Schema.Int.annotate({ description: "Number of persons who sold in the market" }),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL", days: 180 }
})
