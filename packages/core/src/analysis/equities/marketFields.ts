import { Schema } from "effect"
import { Instant, maybe, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"

/** The fields of an index's present value, for specifications. */
export const indexFields = {
  value: quantity("Points"),
  previous_close: quantity("Of the session before, points"),
  change_pct: quantity("From the previous close, percent", percent),
  time: Instant.annotate({ description: "When it was told" })
}

/** An index, or a future on an index, with its name. */
export const NamedIndex = Schema.Struct({ index: Schema.String, name: Schema.String, ...indexFields })

/** The fields that the market summaries of all countries share. */
export const marketFields = {
  session: Schema.Literals(["pre", "regular", "post", "closed"]).annotate({ description: "The exchange's state now" }),
  traded_at: Instant.annotate({ description: "The newest trade of a regular session" }),
  breadth: Schema.Struct({
    advancing: Schema.Int,
    declining: Schema.Int,
    unchanged: Schema.Int,
    advancing_pct: maybe("Of those that moved, percent; null when none did", percent)
  }).annotate({ description: "Stocks against their previous close" }),
  sectors: Schema.Array(Schema.Struct({
    sector: Schema.String,
    change_pct: quantity("Weighted by capitalisation, percent", percent)
  })).annotate({ description: "Best first" })
}
