import { Schema } from "effect"
import { makeQuoteFields } from "../../analysis/equities/resultFields.ts"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { koreanExchanges } from "../../market/instrument.ts"
import { provenance } from "../../market/provenance.ts"

export const getKrStock = specify({
  name: "get_kr_stock",
  area: "korea",
  scope: "read:market",
  credits: 5,
  summary: "Quote of a Korean stock (KOSPI, KOSDAQ), with valuation, 52-week range and foreigners' share.",
  parameters: Schema.Struct({ symbol: SymbolArgument }),
  result: Schema.Struct({
    symbol: Schema.String.annotate({ description: "Ticker" }),
    name: Schema.String.annotate({ description: "Company" }),
    name_ko: Schema.NullOr(Schema.String).annotate({ description: "Name in Korean; null if no source reports it" }),
    exchange: Schema.Literals(koreanExchanges).annotate({ description: "The exchange that lists the stock" }),
    sector: Schema.NullOr(Schema.String).annotate({ description: "Null for funds, or if no source reports it" }),
    price_krw: quantity("Last price of the regular session, KRW"),
    turnover_krw: nullableQuantity("Value traded in the session of `price_time`, KRW"),
    market_cap_krw: nullableQuantity("Price times shares outstanding, KRW"),
    shares_outstanding: nullableQuantity("Null if no source reports it"),
    foreign_share_pct: nullableQuantity(
      "Share of the shares held by foreigners, percent; null if no source reports it",
      percent
    ),
    ...makeQuoteFields("KRW"),
    notes,
    ...provenance
  }),
  example: { symbol: "005930" }
})
