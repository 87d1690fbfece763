import { Schema } from "effect"
import { asOfArgument, optional } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

const Exchange = Schema.Literals(["upbit", "bithumb"])

export const getKrListings = specify({
  name: "get_kr_listings",
  area: "korea",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "New KRW markets of coins (Upbit, Bithumb), 14 days, with their premium. Not stock listings.",
  parameters: Schema.Struct({
    exchange: optional(Exchange.annotate({ description: "Default: both" })),
    at: asOfArgument
  }),
  result: Schema.Struct({
    listings: Schema.Array(Schema.Struct({
      coin: Schema.String.annotate({ description: "Ticker" }),
      exchange: Exchange,
      listed_at: Instant,
      hours_since: quantity("Hours since the opening", roundToDecimals(2)),
      delisted_at: Schema.NullOr(Instant).annotate({
        description: "Time at which the exchange closed the market; null while it is open"
      }),
      krw_price: nullableQuantity("KRW; null if the market does not trade now"),
      volume_24h_krw: nullableQuantity("24-hour volume on this exchange, KRW"),
      premium_now_pct: nullableQuantity(
        "Same as in get_kimchi_premium; null if a side has no quote or an exchange rate is missing",
        percent
      ),
      premium_path: Schema.Array(Schema.Struct({
        hours_since: Schema.Int.annotate({ description: "Full hours since the opening" }),
        time: Instant,
        premium_pct: quantity("Percent", percent)
      })).annotate({ description: "Premium at fixed hours of the first three days, if recorded" })
    })).annotate({ description: "Newest first" }),
    notes,
    ...provenance
  }),
  example: {}
})
