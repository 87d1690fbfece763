import { Schema } from "effect"
import { makeQuoteFields } from "../../analysis/equities/resultFields.ts"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { usExchanges } from "../../market/instrument.ts"
import { provenance } from "../../market/provenance.ts"

export const getUsStock = specify({
  name: "get_us_stock",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "Quote of a US stock: price, change, volume, valuation, 52-week range, session.",
  parameters: Schema.Struct({ symbol: SymbolArgument }),
  result: Schema.Struct({
    symbol: Schema.String.annotate({ description: "Ticker" }),
    name: Schema.String.annotate({ description: "Company" }),
    exchange: Schema.Literals(usExchanges).annotate({ description: "The exchange that lists the stock" }),
    sector: Schema.NullOr(Schema.String).annotate({ description: "Null for funds, or if no source reports it" }),
    price: quantity("Last price of the regular session, USD"),
    turnover_usd: nullableQuantity("Value traded in the session of `price_time`, USD"),
    market_cap_usd: nullableQuantity("Price times shares outstanding, USD"),
    shares_outstanding: nullableQuantity("Null if no source reports it"),
    ...makeQuoteFields("USD"),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL" }
})
