import { Schema } from "effect"
import { Instant, maybe, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"

/** The fields that quotes of stocks share, in a currency, for specifications. */
export const quoteFields = (currency: "USD" | "KRW") => ({
  price_time: Instant.annotate({ description: "When the price was traded" }),
  previous_close: maybe(`Close of the session before, adjusted for splits since, ${currency}`),
  change_pct: maybe("From the previous close, percent", percent),
  volume: quantity("Shares traded in the session of `price_time`"),
  eps: maybe(`Earnings a share of the last four quarters, ${currency}`),
  pe: maybe("Price over `eps`; null when that is not above 0, or not known"),
  pb: maybe("Price over book value; null when that is not above 0, or not known"),
  range_52w: Schema.Struct({
    low: maybe(`${currency}, adjusted for splits`),
    high: maybe(`${currency}, adjusted for splits`),
    position_pct: maybe("Where the price lies between low (0) and high (100)", percent)
  }).annotate({ description: "Lowest and highest price traded in 52 weeks (252 sessions)" }),
  session: Schema.Literals(["pre", "regular", "post", "closed"]).annotate({ description: "The exchange's state now" }),
  extended: Schema.NullOr(Schema.Struct({
    session: Schema.Literals(["pre", "post"]),
    time: Instant,
    price: quantity(currency),
    change_pct: quantity("From the last price of the regular session, percent", percent)
  })).annotate({ description: "The newest price outside the regular session since it ended; null without one" })
})
