import { Schema } from "effect"
import { withDefault } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const cents = roundToDecimals(2)

export const getOrderbook = specify({
  name: "get_orderbook",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Spot order book of a coin now: spread, depth, walls, slippage of market orders.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    sizes_usd: withDefault(
      Schema.Array(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 1e12 }))).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(5)
      ),
      [10_000, 100_000, 1_000_000]
    )
  }),
  result: Schema.Struct({
    coin: Schema.String,
    market: Schema.Literal("spot"),
    mid: nullableQuantity("Mean of the best bid and the best ask, USD", level),
    best_bid: nullableQuantity("USD"),
    best_ask: nullableQuantity("USD"),
    spread_bps: nullableQuantity("(best ask - best bid) / mid, basis points", percent),
    depth: Schema.Array(Schema.Struct({
      within_pct: quantity("Distance from mid, percent"),
      bid_usd: nullableQuantity("Buy orders, USD; null if the venue reports a smaller part of its book", cents),
      ask_usd: nullableQuantity("Sell orders, USD; null if the venue reports a smaller part of its book", cents)
    })),
    bid_depth_usd: nullableQuantity("Buy orders within 1 % of mid, USD", cents),
    ask_depth_usd: nullableQuantity("Sell orders within 1 % of mid, USD", cents),
    imbalance_pct: nullableQuantity(
      "100 (bid - ask) / (bid + ask) within 1 %; above 0 there are more buy orders",
      percent
    ),
    walls: Schema.Array(Schema.Struct({
      side: Schema.Literals(["bid", "ask"]),
      price: quantity("USD"),
      usd: quantity("Orders at this level, USD", cents),
      times_median: quantity("Multiple of the median level of its side", fraction),
      distance_pct: quantity("Distance from mid, percent", percent)
    })).annotate({ description: "Levels within 1 % with at least 5 times the median of their side, largest first" }),
    slippage: Schema.Array(Schema.Struct({
      size_usd: quantity("USD paid or received"),
      buy_bps: nullableQuantity("Mean price paid above mid, basis points; null if the book is too small", percent),
      sell_bps: nullableQuantity(
        "Mean price received below mid, basis points; null if the book is too small",
        percent
      )
    })),
    notes,
    ...provenance
  }),
  example: { coin: "ETH", sizes_usd: [50_000, 500_000] }
})
