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
  summary: "New coin markets against the won (Upbit, Bithumb), 14 days, with their premium. Not stock listings.",
  parameters: Schema.Struct({
    exchange: optional(Exchange.annotate({ description: "Default: both" })),
    at: asOfArgument
  }),
  result: Schema.Struct({
    listings: Schema.Array(Schema.Struct({
      coin: Schema.String.annotate({ description: "Ticker" }),
      exchange: Exchange,
      listed_at: Instant,
      hours_since: quantity("Since it opened", roundToDecimals(2)),
      delisted_at: Schema.NullOr(Instant).annotate({
        description: "When the exchange closed it; null while it trades"
      }),
      krw_price: nullableQuantity("KRW; null where it does not trade now"),
      volume_24h_krw: nullableQuantity("Traded on this exchange in 24 hours, KRW"),
      premium_now_pct: nullableQuantity(
        "As get_kimchi_premium has it; null where the coin is not quoted on both sides, or a rate is not told",
        percent
      ),
      premium_path: Schema.Array(Schema.Struct({
        hours_since: Schema.Int.annotate({ description: "Full hours since it opened" }),
        time: Instant,
        premium_pct: quantity("Percent", percent)
      })).annotate({ description: "At set hours of its first three days, of those that are recorded" })
    })).annotate({ description: "Newest first" }),
    notes,
    ...provenance
  }),
  example: {}
})
