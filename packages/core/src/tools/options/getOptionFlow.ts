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
    "Takers' option trades on BTC, ETH or SOL: largest, net delta and vega. Open interest: get_options_positioning.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    hours: hoursArgument,
    top: topArgument,
    min_premium_usd: withDefault(
      Schema.Finite.annotate({ description: "Only for the list; sums count all" })
        .check(Schema.isGreaterThanOrEqualTo(0)),
      0
    )
  }),
  result: Schema.Struct({
    coin: Schema.String,
    from: Instant.annotate({ description: "Start of the counted period" }),
    n: Schema.Int.annotate({ description: "Trades counted" }),
    premium_usd: quantity("Premium of all trades", wholeUsd),
    calls: Side,
    puts: Side,
    net_delta_usd: quantity(
      "Net delta of takers' trades in the coin, Black-76 with the index price at each trade",
      wholeUsd
    ),
    net_vega_usd: quantity("Net vega of takers' trades: their gain if volatility rises by a point", wholeUsd),
    call_put_premium_ratio: nullableQuantity("Premium of calls / premium of puts; null without puts", fraction),
    trades: Schema.Array(Schema.Struct({
      time: Instant,
      instrument: Schema.String,
      side: Schema.Literals(["buy", "sell"]).annotate({ description: "Whether the taker bought or sold" }),
      size: quantity("Coins"),
      premium_usd: quantity("For the whole trade", roundToDecimals(2)),
      iv_pct: quantity("Percent a year", percent),
      index_price: quantity("USD")
    })).annotate({ description: "The largest trades by premium, largest first" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC", hours: 6 }
})
