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
  change_pct: nullableQuantity("Coins: over 24 hours; stocks: over the previous session's close, percent", percent),
  turnover_krw: nullableQuantity("Coins: of 24 hours; stocks: of the running or the last session, KRW")
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
  summary:
    "Gainers, losers, turnover of Korea's markets: coins in won, Korean stocks; not US. Coins in USD: screen_coins.",
  parameters: Schema.Struct({
    market: withDefault(Schema.Literals(["all", "crypto", "stock"]), "all"),
    top: topArgument
  }),
  result: Schema.Struct({
    market: Schema.Literals(["all", "crypto", "stock"]),
    gainers: Rows.annotate({ description: "Largest rise first; those that did not rise are left out" }),
    losers: Rows.annotate({ description: "Largest fall first; those that did not fall are left out" }),
    turnover: Rows.annotate({ description: "Largest turnover first" }),
    n: Schema.Int.annotate({ description: "Coins and stocks that were looked at" }),
    coins_at: Schema.NullOr(Instant).annotate({ description: "When the coins were told; null where none was asked" }),
    stocks_at: Schema.NullOr(Instant).annotate({ description: "The same of the stocks; their market rests" }),
    notes,
    ...provenance
  }),
  example: { top: 5 }
})
