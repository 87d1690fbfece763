import { Schema } from "effect"
import { Instant, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"

export const makeHistoryFields = (currency: "USD" | "KRW") => ({
  candles: Schema.Array(Schema.Struct({
    time: Instant.annotate({
      description: "Opening instant within its session; for a week, of its first session"
    }),
    open: quantity(currency),
    high: quantity(currency),
    low: quantity(currency),
    close: quantity(currency),
    volume: quantity("Shares traded"),
    closed: Schema.optionalKey(Schema.Literal(false)).annotate({
      description:
        "Present only on a last candle that is still open: its close is the latest price, and the other values can still change"
    })
  })).annotate({ description: "Oldest first; only regular sessions" }),
  change_pct: nullableQuantity("From the first close to the last, percent; null for one candle", percent),
  splits: Schema.Array(Schema.Struct({
    time: Instant.annotate({ description: "First instant of trading at the new price" }),
    ratio: quantity("New shares for one old share: 4 for a four-for-one split")
  })).annotate({ description: "Splits within the candles" }),
  dividends: Schema.Array(Schema.Struct({
    time: Instant.annotate({ description: "First instant of trading without the dividend" }),
    amount: quantity(`Per share before later splits, ${currency}`)
  })).annotate({ description: "Dividends within the candles" })
})

export const makeQuoteFields = (currency: "USD" | "KRW") => ({
  price_time: Instant.annotate({ description: "Time of the trade at this price" }),
  previous_close: nullableQuantity(`Close of the previous session, adjusted for later splits, ${currency}`),
  change_pct: nullableQuantity("From the previous close, percent", percent),
  volume: quantity("Shares traded in the session of `price_time`"),
  eps: nullableQuantity(`Earnings per share of the last four quarters, ${currency}`),
  pe: nullableQuantity("Price over `eps`; null if `eps` is unknown or not above 0"),
  pb: nullableQuantity("Price over book value; null if the book value is unknown or not above 0"),
  range_52w: Schema.Struct({
    low: nullableQuantity(`${currency}, adjusted for splits`),
    high: nullableQuantity(`${currency}, adjusted for splits`),
    position_pct: nullableQuantity("Position of the price between low (0) and high (100)", percent)
  }).annotate({ description: "Lowest and highest price traded in 52 weeks (252 sessions)" }),
  session: Schema.Literals(["pre", "regular", "post", "closed"]).annotate({ description: "The exchange's state now" }),
  extended: Schema.NullOr(Schema.Struct({
    session: Schema.Literals(["pre", "post"]),
    time: Instant,
    price: quantity(currency),
    change_pct: quantity("From the last price of the regular session, percent", percent)
  })).annotate({
    description: "The latest price outside the regular session since the session ended; null without one"
  })
})

export const indexFields = {
  value: quantity("Points"),
  previous_close: quantity("Close of the previous session, points"),
  change_pct: quantity("From the previous close, percent", percent),
  time: Instant.annotate({ description: "Time of this value" })
}

export const NamedIndex = Schema.Struct({ index: Schema.String, name: Schema.String, ...indexFields })

export const marketFields = {
  session: Schema.Literals(["pre", "regular", "post", "closed"]).annotate({ description: "The exchange's state now" }),
  traded_at: Instant.annotate({ description: "Time of the latest trade of a regular session" }),
  breadth: Schema.Struct({
    advancing: Schema.Int,
    declining: Schema.Int,
    unchanged: Schema.Int,
    advancing_pct: nullableQuantity(
      "Share of advancing stocks among those that moved, percent; null if no stock moved",
      percent
    )
  }).annotate({ description: "Number of stocks by change from the previous close" }),
  sectors: Schema.Array(Schema.Struct({
    sector: Schema.String,
    change_pct: quantity("Weighted by capitalisation, percent", percent)
  })).annotate({ description: "Best first" })
}
