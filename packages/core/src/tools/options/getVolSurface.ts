import { Schema } from "effect"
import { asOf, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent, roundToDecimals, roundToDigits } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { smileFields } from "./fields.ts"

const parameter = (description: string) => quantity(description, roundToDigits(8))

const Svi = Schema.Struct({
  a: parameter("Level"),
  b: parameter("Slope of the wings"),
  rho: parameter("Tilt, -1 to 1"),
  m: parameter("Centre, log-moneyness"),
  sigma: parameter("Width of the bend")
})

export const getVolSurface = specify({
  name: "get_vol_surface",
  area: "options",
  scope: "read:market",
  credits: 5,
  summary: "Volatility surface of BTC, ETH or SOL: each expiry's ATM IV, skew, SVI fit. IV rank: get_iv_metrics.",
  parameters: Schema.Struct({ coin: CoinArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    by_expiry: Schema.Array(Schema.Struct({
      expiry: Schema.String.annotate({ description: "Date, UTC" }),
      days: quantity("Days until then", roundToDecimals(6)),
      forward: nullableQuantity("USD", level),
      ...smileFields,
      svi: Schema.NullOr(Svi).annotate({
        description: "Total variance iv^2 T = a + b (rho (k - m) + sqrt((k - m)^2 + sigma^2)), k = ln(strike / forward)"
      }),
      fit_rmse_pct: nullableQuantity("Root mean square error of the fit, points of volatility", fraction),
      n: Schema.Int.annotate({ description: "Number of fitted quotes: out of the money, with a bid" }),
      butterfly_free: Schema.NullOr(Schema.Boolean).annotate({
        description: "True if the density is not negative at any strike"
      })
    })).annotate({ description: "Nearest expiry first" }),
    constant_maturity: Schema.Array(Schema.Struct({
      days: Schema.Int,
      ...smileFields,
      atm_percentile: nullableQuantity(
        "Share of the days of the last year with a lower IV, percent, as in get_iv_metrics",
        percent
      ),
      n: Schema.Int.annotate({ description: "Days recorded, of at most 365" })
    })).annotate({ description: "IV of 7, 30 and 90 days, linear in total variance between expiries" }),
    calendar_free: Schema.NullOr(Schema.Boolean).annotate({
      description: "True if total variance never falls from a fitted expiry to the next, at strikes that both quote"
    }),
    arbitrage_free: Schema.NullOr(Schema.Boolean).annotate({
      description: "True if calendar_free and all butterfly_free are true; null if no expiry could be fitted"
    }),
    notes,
    ...provenance,
    as_of: asOf("Time of the quotes; percentiles are of the days before it")
  }),
  example: { coin: "BTC" }
})
