import { Schema } from "effect"
import { adjustments } from "../../analysis/equities/adjustments.ts"
import { makeHistoryFields } from "../../analysis/equities/resultFields.ts"
import { barsArgument, withDefault } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { equityTimeframes } from "../../market/timeframe.ts"

export const getUsStockHistory = specify({
  name: "get_us_stock_history",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "Candles of a US stock, adjusted for splits. Of coins: get_price_history.",
  parameters: Schema.Struct({
    symbol: SymbolArgument,
    tf: withDefault(Schema.Literals(equityTimeframes), "1d"),
    bars: barsArgument,
    adjust: withDefault(
      Schema.Literals(adjustments).annotate({ description: "all: also dividends; none: as traded" }),
      "splits"
    )
  }),
  result: Schema.Struct({
    symbol: Schema.String.annotate({ description: "Ticker" }),
    name: Schema.String.annotate({ description: "Company" }),
    tf: Schema.Literals(equityTimeframes),
    adjusted: Schema.Literals(adjustments).annotate({
      description:
        "Adjustment of earlier prices. splits: for splits; all: for splits and dividends, so changes are total returns; none: prices as traded"
    }),
    ...makeHistoryFields("USD"),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL", tf: "1d", bars: 20 }
})
