import { Schema } from "effect"
import { makeHistoryFields } from "../../analysis/equities/resultFields.ts"
import { barsArgument, withDefault } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const timeframes = ["1d", "1w"] as const

export const getKrStockHistory = specify({
  name: "get_kr_stock_history",
  area: "korea",
  scope: "read:market",
  credits: 5,
  summary: "Candles of a Korean stock in won, adjusted for splits.",
  parameters: Schema.Struct({
    symbol: SymbolArgument,
    tf: withDefault(Schema.Literals(timeframes), "1d"),
    bars: barsArgument
  }),
  result: Schema.Struct({
    symbol: Schema.String.annotate({ description: "Ticker" }),
    name: Schema.String.annotate({ description: "Company" }),
    tf: Schema.Literals(timeframes),
    adjusted: Schema.Literal("splits").annotate({
      description: "Prices are adjusted for splits, and not for dividends"
    }),
    ...makeHistoryFields("KRW"),
    notes,
    ...provenance
  }),
  example: { symbol: "005930", tf: "1d", bars: 20 }
})
