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
  strike: quantity("The nearest listed strike, USD"),
  price_usd: quantity("Price of one unit, USD"),
  price_source: Schema.Literals(["ask", "bid", "mark"]).annotate({
    description: "ask for bought legs, bid for sold legs, mark if this side has no quote"
  }),
  iv_pct: nullableQuantity("IV of the mark, percent a year", percent),
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
    days: quantity("Days until the expiry, act/365", roundToDecimals(6)),
    spot: quantity("Index price, USD", level),
    forward: nullableQuantity("Forward of this expiry, USD", level),
    legs: Schema.Array(Leg).annotate({ description: "Greeks are for one unit, long" }),
    debit_usd: quantity("Total cost before fees; below 0, a credit", dollars),
    mid_debit_usd: quantity(
      "Total cost at the middle of bid and ask; the difference is the cost of the spread",
      dollars
    ),
    max_profit_usd: nullableQuantity("Maximum profit at expiry; null if unlimited", dollars),
    max_loss_usd: nullableQuantity("Maximum loss at expiry, a negative number; null if unlimited", dollars),
    break_evens: Schema.Array(quantity("USD", dollars)).annotate({
      description: "Prices at expiry without profit or loss, ascending; may be empty"
    }),
    probability_of_profit: nullableQuantity(
      "Probability of a profit at expiry, for a log-normal price around the forward (mean log return 0) with atm_iv_pct",
      fraction
    ),
    atm_iv_pct: nullableQuantity("IV at the money of this expiry, percent a year", percent),
    delta: nullableQuantity("Sum over the legs of greek * signed qty, coins"),
    gamma: nullableQuantity("Same sum, delta per 1 USD"),
    theta_usd_per_day: nullableQuantity("Same sum, USD per day"),
    vega_usd_per_pt: nullableQuantity("Same sum, USD per point of volatility"),
    payoff: Schema.Array(Schema.Struct({
      price: quantity("Price at expiry, USD", dollars),
      pnl_usd: quantity("Profit or loss after the debit", dollars)
    })).annotate({ description: "Linear between these prices; beyond the last price the last slope continues" }),
    notes,
    ...provenance
  }),
  example: {
    coin: "BTC",
    legs: [{ type: "call", strike: 90_000, side: "buy" }, { type: "call", strike: 100_000, side: "sell" }]
  }
})
