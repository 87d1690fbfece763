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
    mid: nullableQuantity("Between the best bid and the best ask, USD", level),
    best_bid: nullableQuantity("USD"),
    best_ask: nullableQuantity("USD"),
    spread_bps: nullableQuantity("Best ask less best bid over mid, basis points", percent),
    depth: Schema.Array(Schema.Struct({
      within_pct: quantity("Of mid, percent"),
      bid_usd: nullableQuantity("Resting to buy, USD; null where the venue tells less of its book", cents),
      ask_usd: nullableQuantity("Resting to sell, USD; likewise", cents)
    })),
    bid_depth_usd: nullableQuantity("Resting to buy within 1 % of mid, USD", cents),
    ask_depth_usd: nullableQuantity("Resting to sell within 1 % of mid, USD", cents),
    imbalance_pct: nullableQuantity("100 (bid - ask) / (bid + ask) within 1 %: above 0 more rests to buy", percent),
    walls: Schema.Array(Schema.Struct({
      side: Schema.Literals(["bid", "ask"]),
      price: quantity("USD"),
      usd: quantity("Resting there, USD", cents),
      times_median: quantity("Over the median level of its side", fraction),
      distance_pct: quantity("From mid, percent", percent)
    })).annotate({ description: "Levels within 1 % of at least 5 times their side's median one, largest first" }),
    slippage: Schema.Array(Schema.Struct({
      size_usd: quantity("USD paid or received"),
      buy_bps: nullableQuantity("Mean price paid over mid, basis points; null where the book ends before", percent),
      sell_bps: nullableQuantity(
        "Mean price received under mid, basis points; null where the book ends before",
        percent
      )
    })),
    notes,
    ...provenance
  }),
  example: { coin: "ETH", sizes_usd: [50_000, 500_000] }
})
