import { Schema } from "effect"
import { asOfArgument, optional, topArgument, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const Reliability = Schema.Literals(["high", "medium", "low"]).annotate({
  description:
    "low: listed within 24 hours, or under 1 billion KRW traded a day; medium: listed within 48 hours or nobody knows when, under 10 billion KRW, or the exchange rate is older than a day (weekend) or a daily reference; else high"
})

const descriptions = {
  premium: "krw_price / (usd_price * fx) - 1, percent",
  currency: "The part due to USDT's won price against the bank's dollar: logarithmic share of the premium",
  asset: "The part due to the coin itself; the two legs add up to premium_pct exactly"
}
const legFields = {
  premium_pct: quantity(descriptions.premium, percent),
  currency_leg_pct: quantity(descriptions.currency, percent),
  asset_leg_pct: quantity(descriptions.asset, percent)
}

export const getKimchiPremium = specify({
  name: "get_kimchi_premium",
  area: "korea",
  scope: "read:market",
  credits: 1,
  summary: "Kimchi premium of coins, split into currency and asset legs: watchlist, one coin's 48 hours, or all.",
  parameters: Schema.Struct({
    coin: optional(CoinArgument),
    scan_all: withDefault(
      Schema.Boolean.annotate({
        description: "All liquid markets, largest first"
      }),
      false
    ),
    top: topArgument,
    at: asOfArgument
  }),
  result: Schema.Struct({
    rows: Schema.Array(Schema.Struct({
      coin: Schema.String.annotate({ description: "Ticker" }),
      exchange: Schema.Literals(["upbit", "bithumb"]).annotate({
        description: "Where the coin trades most against the won"
      }),
      premium_pct: nullableQuantity(`${descriptions.premium}; null, as its legs, where usd_price is`, percent),
      premium_percentile: nullableQuantity(
        "Share of the market's last 30 days, every 4 hours, with a smaller premium, percent; null under 20 of them",
        percent
      ),
      percentile_n: Schema.Int.annotate({ description: "Recorded instants that it stands on" }),
      currency_leg_pct: nullableQuantity(descriptions.currency, percent),
      asset_leg_pct: nullableQuantity(descriptions.asset, percent),
      krw_price: quantity("KRW"),
      usd_price: nullableQuantity(
        "The coin against USDT abroad, null where nobody quotes it; the premium takes a USDT for a dollar in it"
      ),
      fx: quantity("KRW per USD, interbank"),
      usdt_krw: quantity("KRW per USDT on Korean exchanges"),
      volume_24h_krw: quantity("KRW"),
      listed_at: Schema.NullOr(Instant).annotate({
        description: "When this market opened; null where that is not known"
      }),
      is_new_listing: Schema.NullOr(Schema.Boolean).annotate({
        description: "It opened within the last 48 hours; null where that is not known"
      }),
      reliability: Reliability
    })),
    scanned: Schema.Int.annotate({ description: "Markets that the rows were chosen from" }),
    history: Schema.optionalKey(Schema.Array(Schema.Struct({
      time: Instant,
      ...legFields,
      reliability: Schema.optionalKey(Reliability).annotate({
        description: "Only within 48 hours of the market's opening"
      })
    }))).annotate({ description: "With `coin`: its last 48 full hours" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
