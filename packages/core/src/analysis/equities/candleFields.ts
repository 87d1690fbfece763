import { Schema } from "effect"
import { Instant, maybe, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"

/** The fields of a stock's candles, splits and dividends in a currency, for specifications. */
export const historyFields = (currency: "USD" | "KRW") => ({
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
  change_pct: maybe("From the first close to the last, percent; null for one candle", percent),
  splits: Schema.Array(Schema.Struct({
    time: Instant.annotate({ description: "First instant that trades at the new price" }),
    ratio: quantity("New shares for one old share: 4 for a four-for-one split")
  })).annotate({ description: "Those among the candles" }),
  dividends: Schema.Array(Schema.Struct({
    time: Instant.annotate({ description: "First instant that trades without it" }),
    amount: quantity(`A share of then, ${currency}`)
  })).annotate({ description: "Those among the candles" })
})
