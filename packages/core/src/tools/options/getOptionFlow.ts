import { Schema } from "effect"
import { hoursArgument, topArgument, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const wholeUsd = roundToDecimals(0)

const Side = Schema.Struct({
  bought_usd: quantity("Premium of trades in which the taker bought", wholeUsd),
  sold_usd: quantity("Premium of trades in which the taker sold", wholeUsd),
  trades: Schema.Int
})

export const getOptionFlow = specify({
  name: "get_option_flow",
  area: "options",
  scope: "read:market",
  credits: 5,
  summary:
    "Takers' option trades on BTC, ETH or SOL: largest, net delta and vega. What is held: get_options_positioning.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    hours: hoursArgument,
    top: topArgument,
    min_premium_usd: withDefault(
      Schema.Finite.annotate({ description: "For the list; sums count all" })
        .check(Schema.isGreaterThanOrEqualTo(0)),
      0
    )
  }),
  result: Schema.Struct({
    coin: Schema.String,
    from: Instant.annotate({ description: "Since when trades are counted" }),
    n: Schema.Int.annotate({ description: "Trades counted" }),
    premium_usd: quantity("Premium of all of them", wholeUsd),
    calls: Side,
    puts: Side,
    net_delta_usd: quantity("What takers' deals come to in the coin: Black-76 on the index at each trade", wholeUsd),
    net_vega_usd: quantity("What takers gain as volatility rises by a point", wholeUsd),
    call_put_premium_ratio: nullableQuantity("Premium of calls over that of puts; null: no puts", fraction),
    trades: Schema.Array(Schema.Struct({
      time: Instant,
      instrument: Schema.String,
      side: Schema.Literals(["buy", "sell"]).annotate({ description: "What the taker did" }),
      size: quantity("Coins"),
      premium_usd: quantity("For the whole trade", roundToDecimals(2)),
      iv_pct: quantity("Percent a year", percent),
      index_price: quantity("USD")
    })).annotate({ description: "The largest by premium, largest first" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC", hours: 6 }
})
