import { Schema } from "effect"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, roundToDecimals, roundToDigits } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { expiryOrAll } from "./arguments.ts"

const wholeUsd = roundToDecimals(0)

export const getOptionsPositioning = specify({
  name: "get_options_positioning",
  area: "options",
  scope: "read:market",
  credits: 5,
  summary:
    "Open interest of options on BTC, ETH or SOL: max pain, gamma, walls. Perpetuals: get_positioning_history; your own: get_positions.",
  parameters: Schema.Struct({ coin: CoinArgument, expiry: expiryOrAll }),
  result: Schema.Struct({
    coin: Schema.String,
    expiry: Schema.String.annotate({ description: "The counted expiry, or `all`" }),
    spot: quantity("Index price, USD", level),
    oi_total: nullableQuantity("Open interest, coins; null, like all values derived from it, if no source reports it"),
    oi_total_usd: nullableQuantity("Open interest at the spot price, USD", wholeUsd),
    oi_by_strike: Schema.Array(Schema.Struct({
      strike: quantity("USD"),
      call_oi: quantity("Coins"),
      put_oi: quantity("Coins"),
      oi_usd: quantity("Calls and puts at the spot price, USD", wholeUsd)
    })).annotate({
      description: "By strike, ascending, without empty strikes; for `all`, only the 40 largest"
    }),
    put_call_ratio_oi: nullableQuantity("Open interest of puts / calls", fraction),
    put_call_ratio_volume: nullableQuantity("24-hour volume of puts / calls", fraction),
    max_pain: Schema.Array(Schema.Struct({
      expiry: Schema.String.annotate({ description: "Date, UTC" }),
      strike: nullableQuantity(
        "Strike with the smallest payout to holders, nearest to the forward if there are several; null without open interest"
      ),
      oi: quantity("Coins")
    })),
    gex_usd_per_1pct: nullableQuantity(
      "USD that dealers must trade for a move of 1 %; above 0, they trade against the move",
      wholeUsd
    ),
    gamma_flip: nullableQuantity(
      "Spot nearest to the current spot at which gex_usd_per_1pct changes sign, within 20 %; null without one",
      level
    ),
    gamma_profile: Schema.Array(Schema.Struct({
      spot: quantity("USD", roundToDigits(8)),
      gex_usd: quantity("USD per 1 %", wholeUsd)
    })).annotate({
      description: "gex_usd_per_1pct with gammas recomputed at 0.8 to 1.2 times the current spot"
    }),
    gex_by_strike: Schema.Array(Schema.Struct({
      strike: quantity("USD"),
      gex_usd: quantity("USD per 1 %, calls and puts", wholeUsd)
    })).annotate({ description: "Adds up to gex_usd_per_1pct; strikes with less than one dollar are omitted" }),
    call_wall: nullableQuantity("Strike with the most call gamma, often a ceiling"),
    put_wall: nullableQuantity("Strike with the most put gamma, often a floor"),
    vanna: nullableQuantity("USD of delta that dealers gain if volatility rises by a point", wholeUsd),
    charm: nullableQuantity("USD of delta that dealers gain in a day at unchanged prices", wholeUsd),
    sign_assumption: Schema.String.annotate({ description: "The assumption about who is long and short" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
