import { Schema } from "effect"
import { usExchanges } from "../../market/instrument.ts"
import { SymbolArgument } from "../../tool/argument.ts"
import { Instant, maybe, notes, provenance, quantity } from "../../tool/result.ts"
import { percent } from "../../tool/rounding.ts"
import { specify } from "../../tool/specification.ts"

export const getUsStock = specify({
  name: "get_us_stock",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "Quote of a US stock: price, change, volume, capitalisation, valuation, 52-week range and session.",
  parameters: Schema.Struct({ symbol: SymbolArgument }),
  result: Schema.Struct({
    symbol: Schema.String,
    name: Schema.String,
    exchange: Schema.Literals(usExchanges),
    sector: Schema.NullOr(Schema.String),
    price: quantity("Last price of the regular session, USD"),
    price_time: Instant.annotate({ description: "When that price was traded" }),
    previous_close: maybe("Close of the session before, adjusted for splits since, USD"),
    change_pct: maybe("From the previous close, percent", percent),
    volume: quantity("Shares traded in the session of `price_time`"),
    turnover_usd: maybe("Value traded in that session, USD"),
    market_cap_usd: maybe("USD"),
    eps: maybe("Earnings a share of the last four quarters, USD"),
    pe: maybe("Price over `eps`; null when that is not above 0, or not known"),
    pb: maybe("Price over book value; null when that is not above 0, or not known"),
    range_52w: Schema.Struct({
      low: maybe("USD, adjusted for splits"),
      high: maybe("USD, adjusted for splits"),
      position_pct: maybe("Where the price lies between low (0) and high (100)", percent)
    }),
    session: Schema.Literals(["pre", "regular", "post", "closed"]),
    extended: Schema.NullOr(Schema.Struct({
      session: Schema.Literals(["pre", "post"]),
      time: Instant,
      price: quantity("USD"),
      change_pct: quantity("From `price`, percent", percent)
    })).annotate({ description: "The newest price outside the regular session since it ended; null without one" }),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL" }
})
