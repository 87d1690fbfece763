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
  period: Schema.String.annotate({ description: "Fiscal quarter that is reported" }),
  date: Schema.String.annotate({ description: "Expected date in New York" }),
  time: Schema.NullOr(Instant).annotate({ description: "Null where only the date is known" }),
  when: Schema.NullOr(Schema.Literals(["before_open", "in_session", "after_close"])),
  eps_estimate: nullableQuantity("Consensus of diluted earnings a share, USD")
})

export const getUsEarnings = specify({
  name: "get_us_earnings",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "Who in the US reports earnings soon; of one stock, results against estimates and the implied move.",
  parameters: Schema.Struct({
    symbol: optional(SymbolArgument),
    days: withDefault(integerBetween(1, 60, "Days ahead"), 14)
  }),
  result: Schema.Struct({
    symbol: Schema.NullOr(Schema.String).annotate({ description: "Null: all US stocks" }),
    upcoming: Schema.Array(Expected).annotate({ description: "Within `days`, soonest first" }),
    next: Schema.NullOr(Expected).annotate({
      description: "Of the symbol: the next announcement, within four months; null without a symbol"
    }),
    history: Schema.Array(Schema.Struct({
      date: Schema.String,
      period: Schema.String,
      eps: nullableQuantity("Diluted earnings a share, USD"),
      eps_estimate: nullableQuantity("Consensus before, USD"),
      surprise_pct: nullableQuantity(
        "100 (eps - eps_estimate) / |eps_estimate|; null where one is not told, or of 0",
        percent
      ),
      move_pct: nullableQuantity("Close of the first session after it over the last close before it, percent", percent)
    })).annotate({ description: "Of the symbol, its last eight, oldest first" }),
    mean_abs_move_pct: nullableQuantity("Mean size of the moves of `history`, percent; null without one", percent),
    implied_move_pct: nullableQuantity(
      "Mean size of the move that options expect from the announcement `next`, percent, by the formula of `expected_move_pct` of get_us_options: the variance between the expiries around it, less the rate of the neighbouring intervals",
      percent
    ),
    implied_expiry: Schema.NullOr(Schema.String).annotate({ description: "That expiry" }),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL" }
})
