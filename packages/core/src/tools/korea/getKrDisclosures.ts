import { Schema } from "effect"
import { optional, topArgument } from "../../engine/tool/argument.ts"
import { Instant, notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getKrDisclosures = specify({
  name: "get_kr_disclosures",
  area: "korea",
  scope: "read:market",
  credits: 5,
  summary: "Newest filings (DART) of a Korean company, or of all. News: get_latest_news.",
  parameters: Schema.Struct({ symbol: optional(SymbolArgument), top: topArgument }),
  result: Schema.Struct({
    symbol: Schema.NullOr(Schema.String).annotate({ description: "Null for all companies" }),
    filings: Schema.Array(Schema.Struct({
      date: Schema.String.annotate({ description: "Date in Seoul" }),
      time: Schema.NullOr(Instant).annotate({ description: "Null if the source reports only the date" }),
      symbol: Schema.String.annotate({ description: "Ticker" }),
      company: Schema.String.annotate({ description: "The filing company" }),
      title: Schema.String.annotate({ description: "As filed, in Korean" }),
      url: Schema.String.annotate({ description: "URL of the filing" }),
      kind: Schema.String.annotate({
        description: "earnings, ownership, capital, contract, governance or other, classified by the title"
      })
    })).annotate({ description: "Newest first" }),
    notes,
    ...provenance
  }),
  example: { symbol: "005930", top: 5 }
})
