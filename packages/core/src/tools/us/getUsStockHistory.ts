import { Schema } from "effect"
import { adjustments } from "../../equities/adjustments.ts"
import { historyFields } from "../../equities/candleFields.ts"
import { equityTimeframes } from "../../market/timeframe.ts"
import { bars, SymbolArgument, withDefault } from "../../tool/argument.ts"
import { notes, provenance } from "../../tool/result.ts"
import { specify } from "../../tool/specification.ts"

export const getUsStockHistory = specify({
  name: "get_us_stock_history",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "Candles of a US stock, adjusted for splits. Of coins: get_price_history.",
  parameters: Schema.Struct({
    symbol: SymbolArgument,
    tf: withDefault(Schema.Literals(equityTimeframes), "1d"),
    bars,
    adjust: withDefault(
      Schema.Literals(adjustments).annotate({ description: "all: dividends too; none: as traded" }),
      "splits"
    )
  }),
  result: Schema.Struct({
    symbol: Schema.String.annotate({ description: "Ticker" }),
    name: Schema.String.annotate({ description: "Company" }),
    tf: Schema.Literals(equityTimeframes),
    adjusted: Schema.Literals(adjustments).annotate({
      description:
        "How prices before a split or dividend are told: splits, in shares of now; all, dividends taken off too, so that changes are total returns; none, as traded"
    }),
    ...historyFields("USD"),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL", tf: "1d", bars: 20 }
})
