import { Schema } from "effect"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { optionalExpiry } from "../options/arguments.ts"
import { ChainRow } from "../options/fields.ts"

const wholeUsd = roundToDecimals(0)

export const getUsOptions = specify({
  name: "get_us_options",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "Options of a US stock: IV, skew, max pain, gamma, expected move, chain. Coins: get_option_chain.",
  parameters: Schema.Struct({
    symbol: SymbolArgument,
    expiry: optionalExpiry,
    strikes_around: withDefault(integerBetween(1, 200), 14)
  }),
  result: Schema.Struct({
    symbol: Schema.String.annotate({ description: "Ticker" }),
    name: Schema.String.annotate({ description: "Company" }),
    spot: quantity("Stock price at the time of the quotes, USD"),
    iv30_pct: nullableQuantity(
      "30-day IV at the money, percent a year; null without expiries on both sides",
      percent
    ),
    realised_30d_pct: nullableQuantity(
      "Close to close over 21 sessions, adjusted for dividends, percent a year",
      percent
    ),
    iv30_percentile_of_realised: nullableQuantity(
      "Share of the last `percentile_n` sessions whose realised_30d_pct was below iv30_pct, percent; past IV is not recorded. Null without iv30_pct, or with fewer than 60 sessions",
      percent
    ),
    percentile_n: Schema.Int.annotate({ description: "Number of sessions, at most 252" }),
    skew_25d: nullableQuantity(
      "30 days: IV of the 25-delta call minus IV of the 25-delta put, points; below 0, puts are more expensive than calls",
      percent
    ),
    put_call_ratio: nullableQuantity("Open interest of puts / calls, all expiries", fraction),
    put_call_ratio_volume: nullableQuantity(
      "Volume of puts / calls in the current or last session, all expiries",
      fraction
    ),
    gex_usd_per_1pct: nullableQuantity(
      "All expiries: USD that dealers must trade for a move of 1 %; above 0, they trade against the move",
      wholeUsd
    ),
    gamma_flip: nullableQuantity(
      "Price nearest to the current price at which gex_usd_per_1pct changes sign, within 20 %; null without one",
      level
    ),
    gamma_profile: Schema.Array(Schema.Struct({
      spot: quantity("USD", level),
      gex_usd: quantity("USD per 1 %", wholeUsd)
    })).annotate({ description: "gex_usd_per_1pct with gammas recomputed at 0.8 to 1.2 times the current price" }),
    sign_assumption: Schema.String.annotate({ description: "The assumption about who is long and short" }),
    expiries: Schema.Array(Schema.String).annotate({ description: "Dates of all listed expiries" }),
    expiry: Schema.String.annotate({ description: "The expiry of the following fields" }),
    expires_at: Instant,
    days: quantity("Days until then", roundToDecimals(6)),
    forward: nullableQuantity("Forward of this expiry, USD", level),
    atm_iv_pct: nullableQuantity("IV at the forward, percent a year", percent),
    max_pain: nullableQuantity(
      "Strike of this expiry with the smallest payout to holders, nearest to the forward if there are several; null without open interest or reports"
    ),
    expected_move_pct: nullableQuantity(
      "Mean absolute move until the expiry from atm_iv_pct, percent of the forward; equals the undiscounted price of a straddle at the forward",
      percent
    ),
    chain: Schema.Array(ChainRow).annotate({ description: "By strike, ascending; quantities in shares" }),
    strikes_listed: Schema.Int.annotate({ description: "Number of all strikes of this expiry" }),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL" }
})
