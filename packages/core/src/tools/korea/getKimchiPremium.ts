import { Schema } from "effect"
import { asOfArgument, optional, topArgument, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const Reliability = Schema.Literals(["high", "medium", "low"]).annotate({
  description:
    "low: listed within 24 hours, or below 1 billion KRW of daily volume; medium: listed within 48 hours or at an unknown time, below 10 billion KRW, or with an exchange rate that is older than a day (weekend) or a daily reference; otherwise high"
})

const descriptions = {
  premium: "krw_price / (usd_price * fx) - 1, percent",
  currency: "Part caused by USDT's KRW price against the interbank dollar, as a logarithmic share of the premium",
  asset: "Part caused by the coin itself; the two legs add up to premium_pct exactly"
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
  pure: true,
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
        description: "The exchange with the largest KRW volume of the coin"
      }),
      premium_pct: nullableQuantity(`${descriptions.premium}; null, like both legs, without usd_price`, percent),
      premium_percentile: nullableQuantity(
        "Share of the 4-hourly records of the last 30 days with a smaller premium, percent; null with fewer than 20 records",
        percent
      ),
      percentile_n: Schema.Int.annotate({ description: "Number of records used for the percentile" }),
      currency_leg_pct: nullableQuantity(descriptions.currency, percent),
      asset_leg_pct: nullableQuantity(descriptions.asset, percent),
      krw_price: quantity("KRW"),
      usd_price: nullableQuantity(
        "Price against USDT on foreign exchanges, null without a quote; the premium counts one USDT as one dollar"
      ),
      fx: quantity("KRW per USD, interbank"),
      usdt_krw: quantity("KRW per USDT on Korean exchanges"),
      volume_24h_krw: quantity("KRW"),
      listed_at: Schema.NullOr(Instant).annotate({
        description: "Opening time of this market; null if unknown"
      }),
      is_new_listing: Schema.NullOr(Schema.Boolean).annotate({
        description: "Whether the market opened within the last 48 hours; null if unknown"
      }),
      reliability: Reliability
    })),
    scanned: Schema.Int.annotate({ description: "Number of markets from which the rows were chosen" }),
    history: Schema.optionalKey(Schema.Array(Schema.Struct({
      time: Instant,
      ...legFields,
      reliability: Schema.optionalKey(Reliability).annotate({
        description: "Present only within 48 hours of the market's opening"
      })
    }))).annotate({ description: "Only with `coin`: its last 48 full hours" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
