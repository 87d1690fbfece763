import { Schema } from "effect"
import { integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const Expected = Schema.Struct({
  symbol: Schema.String.annotate({ description: "Ticker" }),
  name: Schema.String.annotate({ description: "Company" }),
  period: Schema.String.annotate({ description: "Reported fiscal quarter" }),
  date: Schema.String.annotate({ description: "Expected date in New York" }),
  time: Schema.NullOr(Instant).annotate({ description: "Null if only the date is known" }),
  when: Schema.NullOr(Schema.Literals(["before_open", "in_session", "after_close"])),
  eps_estimate: nullableQuantity("Consensus of diluted earnings per share, USD")
})

export const getUsEarnings = specify({
  name: "get_us_earnings",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "Upcoming earnings reports in the US; for one stock, results against estimates and the implied move.",
  parameters: Schema.Struct({
    symbol: optional(SymbolArgument),
    days: withDefault(integerBetween(1, 60, "Days ahead"), 14)
  }),
  result: Schema.Struct({
    symbol: Schema.NullOr(Schema.String).annotate({ description: "Null for all US stocks" }),
    upcoming: Schema.Array(Expected).annotate({ description: "Within `days`, soonest first" }),
    next: Schema.NullOr(Expected).annotate({
      description: "The next announcement of the symbol within four months; null without a symbol"
    }),
    history: Schema.Array(Schema.Struct({
      date: Schema.String,
      period: Schema.String,
      eps: nullableQuantity("Diluted earnings per share, USD"),
      eps_estimate: nullableQuantity("Consensus before the announcement, USD"),
      surprise_pct: nullableQuantity(
        "100 (eps - eps_estimate) / |eps_estimate|; null if either is not reported, or if the estimate is 0",
        percent
      ),
      move_pct: nullableQuantity(
        "Change from the last close before the announcement to the first close after it, percent",
        percent
      )
    })).annotate({ description: "The last eight announcements of the symbol, oldest first" }),
    mean_abs_move_pct: nullableQuantity("Mean absolute move of `history`, percent; null without moves", percent),
    implied_move_pct: nullableQuantity(
      "Mean absolute move that options imply for the announcement `next`, percent, with the formula of `expected_move_pct` in get_us_options, from the variance between the expiries around it minus the rate of neighbouring intervals",
      percent
    ),
    implied_expiry: Schema.NullOr(Schema.String).annotate({ description: "The first expiry after the announcement" }),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL" }
})
