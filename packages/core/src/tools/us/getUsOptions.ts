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
    spot: quantity("Stock price that goes with the quotes, USD"),
    iv30_pct: nullableQuantity(
      "At the money, 30 days, percent a year; null where no expiries lie on both sides",
      percent
    ),
    realised_30d_pct: nullableQuantity("Close to close over 21 sessions, dividends taken out, percent a year", percent),
    iv30_percentile_of_realised: nullableQuantity(
      "Share of the last `percentile_n` sessions whose realised_30d_pct was below iv30_pct, percent; past IV is not recorded. Null under 60 sessions",
      percent
    ),
    percentile_n: Schema.Int.annotate({ description: "Sessions, of at most 252" }),
    skew_25d: nullableQuantity(
      "30 days: IV of the 25-delta call less that of the 25-delta put, points; below 0: falls are dearer than rises",
      percent
    ),
    put_call_ratio: nullableQuantity("Puts over calls, open interest of all expiries", fraction),
    put_call_ratio_volume: nullableQuantity(
      "Puts over calls, traded in the running or last session, all expiries",
      fraction
    ),
    gex_usd_per_1pct: nullableQuantity(
      "All expiries: what dealers must trade for a move of 1 %; above 0: against it",
      wholeUsd
    ),
    gamma_flip: nullableQuantity(
      "Price nearest to the present one at which that changes sign, within 20 %; null: none",
      level
    ),
    gamma_profile: Schema.Array(Schema.Struct({
      spot: quantity("USD", level),
      gex_usd: quantity("USD per 1 %", wholeUsd)
    })).annotate({ description: "gex_usd_per_1pct with gammas recomputed at prices of 0.8 to 1.2 of the present one" }),
    sign_assumption: Schema.String.annotate({ description: "Who is taken to be long and short" }),
    expiries: Schema.Array(Schema.String).annotate({ description: "Dates of all that are listed" }),
    expiry: Schema.String.annotate({ description: "The one that the rest is of" }),
    expires_at: Instant,
    days: quantity("Days until then", roundToDecimals(6)),
    forward: nullableQuantity("The expiry's own forward, USD", level),
    atm_iv_pct: nullableQuantity("At the forward, percent a year", percent),
    max_pain: nullableQuantity(
      "Strike of this expiry at which holders are paid least, of several the one nearest to the forward; null: nothing is held, or no source reports it"
    ),
    expected_move_pct: nullableQuantity(
      "Mean size of the move until the expiry by atm_iv_pct, percent of the forward: what a straddle at the forward costs, undiscounted",
      percent
    ),
    chain: Schema.Array(ChainRow).annotate({ description: "By strike, ascending; quantities in shares" }),
    strikes_listed: Schema.Int.annotate({ description: "Strikes of this expiry, shown or not" }),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL" }
})
