import { Schema } from "effect"
import { topArgument, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

const rowFields = {
  name: Schema.String,
  exchange: Schema.String,
  price_krw: quantity("KRW"),
  change_pct: nullableQuantity("Coins: over 24 hours; stocks: from the previous session's close, percent", percent),
  turnover_krw: nullableQuantity("Coins: of 24 hours; stocks: of the current or the last session, KRW")
}

const Rows = Schema.Array(Schema.Union([
  Schema.Struct({ coin: Schema.String, ...rowFields }),
  Schema.Struct({ symbol: Schema.String, ...rowFields })
]))

export const getMovers = specify({
  name: "get_movers",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary:
    "Gainers, losers, turnover of Korea's markets: coins in won, Korean stocks; not US. Coins in USD: screen_coins.",
  parameters: Schema.Struct({
    market: withDefault(Schema.Literals(["all", "crypto", "stock"]), "all"),
    top: topArgument
  }),
  result: Schema.Struct({
    market: Schema.Literals(["all", "crypto", "stock"]),
    gainers: Rows.annotate({ description: "Largest rise first; only instruments that rose" }),
    losers: Rows.annotate({ description: "Largest fall first; only instruments that fell" }),
    turnover: Rows.annotate({ description: "Largest turnover first" }),
    n: Schema.Int.annotate({ description: "Number of coins and stocks compared" }),
    coins_at: Schema.NullOr(Instant).annotate({
      description: "Time of the coins' data; null if no coins were requested"
    }),
    stocks_at: Schema.NullOr(Instant).annotate({
      description: "Time of the stocks' data, which is older outside trading hours; null if no stocks were requested"
    }),
    notes,
    ...provenance
  }),
  example: { top: 5 }
})
