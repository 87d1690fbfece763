import { Schema } from "effect"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { LegArgument, optionalExpiry } from "./arguments.ts"
import { greekFields } from "./fields.ts"

/** Rounds to the precision of coins' option quotes in USD. */
const dollars = roundToDecimals(8)

const Leg = Schema.Struct({
  instrument: Schema.String,
  type: Schema.Literals(["call", "put"]),
  side: Schema.Literals(["buy", "sell"]),
  qty: quantity("Coins"),
  requested_strike: quantity("USD"),
  strike: quantity("The nearest listed one, USD"),
  price_usd: quantity("Price of one unit, USD"),
  price_source: Schema.Literals(["ask", "bid", "mark"]).annotate({
    description: "ask of what is bought, bid of what is sold; mark where nobody quotes that side"
  }),
  iv_pct: nullableQuantity("Of the mark, percent a year", percent),
  ...greekFields
})

export const getOptionStructure = specify({
  name: "get_option_structure",
  area: "options",
  scope: "read:market",
  credits: 5,
  summary: "Prices your option legs on BTC, ETH or SOL: debit, greeks, break-evens, odds. Ideas: get_option_strategy.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    expiry: optionalExpiry,
    legs: Schema.Array(LegArgument).check(Schema.isBetweenLength(1, 8))
  }),
  result: Schema.Struct({
    coin: Schema.String,
    expiry: Schema.String.annotate({ description: "Date of the expiry, UTC" }),
    expires_at: Instant,
    days: quantity("Days until then, act/365", roundToDecimals(6)),
    spot: quantity("Index price, USD", level),
    forward: nullableQuantity("The expiry's own forward, USD", level),
    legs: Schema.Array(Leg).annotate({ description: "Greeks are of one unit, long" }),
    debit_usd: quantity("Paid in all, before fees; below 0: received", dollars),
    mid_debit_usd: quantity("The same in the middle of bid and ask: the difference is what crossing costs", dollars),
    max_profit_usd: nullableQuantity("At expiry; null: unbounded", dollars),
    max_loss_usd: nullableQuantity("At expiry, a negative number; null: unbounded", dollars),
    break_evens: Schema.Array(quantity("USD", dollars)).annotate({
      description: "Prices at expiry without profit or loss, ascending; empty where there is none"
    }),
    probability_of_profit: nullableQuantity(
      "Probability of a profit at expiry: the price then is log-normal about the forward (mean log return 0) with atm_iv_pct",
      fraction
    ),
    atm_iv_pct: nullableQuantity("At the money of this expiry, percent a year", percent),
    delta: nullableQuantity("Sum over legs, each times its signed qty: coins"),
    gamma: nullableQuantity("The same sum: delta per 1 USD"),
    theta_usd_per_day: nullableQuantity("The same sum: USD a day"),
    vega_usd_per_pt: nullableQuantity("The same sum: USD per point of volatility"),
    payoff: Schema.Array(Schema.Struct({
      price: quantity("At expiry, USD", dollars),
      pnl_usd: quantity("Profit or loss after what was paid", dollars)
    })).annotate({ description: "Linear between these prices; beyond the last it goes on as before it" }),
    notes,
    ...provenance
  }),
  example: {
    coin: "BTC",
    legs: [{ type: "call", strike: 90_000, side: "buy" }, { type: "call", strike: 100_000, side: "sell" }]
  }
})
