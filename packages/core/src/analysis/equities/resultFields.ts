import { Schema } from "effect"
import { Instant, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"

/** Returns the schema fields of a stock's candles, splits and dividends in a currency. */
export const makeHistoryFields = (currency: "USD" | "KRW") => ({
  candles: Schema.Array(Schema.Struct({
    time: Instant.annotate({
      description: "Opening instant within its session; a week's is that of its first session"
    }),
    open: quantity(currency),
    high: quantity(currency),
    low: quantity(currency),
    close: quantity(currency),
    volume: quantity("Shares traded"),
    closed: Schema.optionalKey(Schema.Literal(false)).annotate({
      description: "Only on the last candle while it still runs: its close is the newest price, the rest may grow"
    })
  })).annotate({ description: "Oldest first; regular sessions only" }),
  change_pct: nullableQuantity("From the first close to the last, percent; null for one candle", percent),
  splits: Schema.Array(Schema.Struct({
    time: Instant.annotate({ description: "First instant that trades at the new price" }),
    ratio: quantity("New shares for one old share: 4 for a four-for-one split")
  })).annotate({ description: "Those among the candles" }),
  dividends: Schema.Array(Schema.Struct({
    time: Instant.annotate({ description: "First instant that trades without it" }),
    amount: quantity(`A share of then, ${currency}`)
  })).annotate({ description: "Those among the candles" })
})

/** Returns the schema fields that stock quotes of all countries share, in a currency. */
export const makeQuoteFields = (currency: "USD" | "KRW") => ({
  price_time: Instant.annotate({ description: "When the price was traded" }),
  previous_close: nullableQuantity(`Close of the session before, adjusted for splits since, ${currency}`),
  change_pct: nullableQuantity("From the previous close, percent", percent),
  volume: quantity("Shares traded in the session of `price_time`"),
  eps: nullableQuantity(`Earnings a share of the last four quarters, ${currency}`),
  pe: nullableQuantity("Price over `eps`; null when that is not above 0, or not known"),
  pb: nullableQuantity("Price over book value; null when that is not above 0, or not known"),
  range_52w: Schema.Struct({
    low: nullableQuantity(`${currency}, adjusted for splits`),
    high: nullableQuantity(`${currency}, adjusted for splits`),
    position_pct: nullableQuantity("Where the price lies between low (0) and high (100)", percent)
  }).annotate({ description: "Lowest and highest price traded in 52 weeks (252 sessions)" }),
  session: Schema.Literals(["pre", "regular", "post", "closed"]).annotate({ description: "The exchange's state now" }),
  extended: Schema.NullOr(Schema.Struct({
    session: Schema.Literals(["pre", "post"]),
    time: Instant,
    price: quantity(currency),
    change_pct: quantity("From the last price of the regular session, percent", percent)
  })).annotate({ description: "The newest price outside the regular session since it ended; null without one" })
})

/** The schema fields of an index's current value. */
export const indexFields = {
  value: quantity("Points"),
  previous_close: quantity("Of the session before, points"),
  change_pct: quantity("From the previous close, percent", percent),
  time: Instant.annotate({ description: "When it was told" })
}

export const NamedIndex = Schema.Struct({ index: Schema.String, name: Schema.String, ...indexFields })

/** The schema fields that the market summaries of all countries share. */
export const marketFields = {
  session: Schema.Literals(["pre", "regular", "post", "closed"]).annotate({ description: "The exchange's state now" }),
  traded_at: Instant.annotate({ description: "The newest trade of a regular session" }),
  breadth: Schema.Struct({
    advancing: Schema.Int,
    declining: Schema.Int,
    unchanged: Schema.Int,
    advancing_pct: nullableQuantity("Of those that moved, percent; null when none did", percent)
  }).annotate({ description: "Stocks against their previous close" }),
  sectors: Schema.Array(Schema.Struct({
    sector: Schema.String,
    change_pct: quantity("Weighted by capitalisation, percent", percent)
  })).annotate({ description: "Best first" })
}
