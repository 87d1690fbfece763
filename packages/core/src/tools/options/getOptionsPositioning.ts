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
    "Options open on BTC, ETH or SOL: max pain, gamma, walls. Perpetuals: get_positioning_history; yours: get_positions.",
  parameters: Schema.Struct({ coin: CoinArgument, expiry: expiryOrAll }),
  result: Schema.Struct({
    coin: Schema.String,
    expiry: Schema.String.annotate({ description: "The one that is counted, or `all`" }),
    spot: quantity("Index price, USD", level),
    oi_total: nullableQuantity("Open interest, coins; null where nobody tells, like all that stands on it"),
    oi_total_usd: nullableQuantity("The same at the spot", wholeUsd),
    oi_by_strike: Schema.Array(Schema.Struct({
      strike: quantity("USD"),
      call_oi: quantity("Coins"),
      put_oi: quantity("Coins"),
      oi_usd: quantity("Both at the spot", wholeUsd)
    })).annotate({
      description:
        "By strike, ascending; where nothing is held is left out, and of all expiries the 40 most held are kept"
    }),
    put_call_ratio_oi: nullableQuantity("Puts over calls, open interest", fraction),
    put_call_ratio_volume: nullableQuantity("Puts over calls, traded in 24 hours", fraction),
    max_pain: Schema.Array(Schema.Struct({
      expiry: Schema.String.annotate({ description: "Date, UTC" }),
      strike: nullableQuantity(
        "Strike at which holders are paid least, of several the one nearest to the forward; null: nothing is held"
      ),
      oi: quantity("Coins")
    })),
    gex_usd_per_1pct: nullableQuantity(
      "What dealers must trade for a move of 1 %; above 0 they trade against it",
      wholeUsd
    ),
    gamma_flip: nullableQuantity(
      "Spot nearest to the present one at which it changes sign, within 20 %; null: none",
      level
    ),
    gamma_profile: Schema.Array(Schema.Struct({
      spot: quantity("USD", roundToDigits(8)),
      gex_usd: quantity("USD per 1 %", wholeUsd)
    })).annotate({
      description: "gex_usd_per_1pct with gammas recomputed at spots from 0.8 to 1.2 of the present one"
    }),
    gex_by_strike: Schema.Array(Schema.Struct({
      strike: quantity("USD"),
      gex_usd: quantity("USD per 1 %, calls and puts", wholeUsd)
    })).annotate({ description: "Adds up to gex_usd_per_1pct; strikes without a dollar are left out" }),
    call_wall: nullableQuantity("Strike with the most gamma of calls: often a ceiling"),
    put_wall: nullableQuantity("Strike with the most gamma of puts: often a floor"),
    vanna: nullableQuantity("USD of delta that dealers gain as volatility rises by a point", wholeUsd),
    charm: nullableQuantity("USD of delta that dealers gain in a day, if nothing moves", wholeUsd),
    sign_assumption: Schema.String.annotate({ description: "Who is taken to be long and short" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
