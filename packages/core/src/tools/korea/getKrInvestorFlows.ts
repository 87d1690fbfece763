import { Schema } from "effect"
import { integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity } from "../../engine/tool/result.ts"
import { roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const won = roundToDecimals(0)

const investorKindFields = {
  foreign: nullableQuantity("Foreigners, KRW; null if no source reports it", won),
  institution: nullableQuantity("Institutions, KRW", won),
  retail: nullableQuantity("Individuals, KRW", won),
  other: nullableQuantity("Other corporations, and foreigners residing in Korea, KRW", won)
}

export const getKrInvestorFlows = specify({
  name: "get_kr_investor_flows",
  area: "korea",
  scope: "read:market",
  credits: 5,
  summary: "Net buying by foreigners, institutions and individuals by session: a Korean stock, or the market.",
  parameters: Schema.Struct({
    symbol: optional(SymbolArgument),
    days: withDefault(integerBetween(1, 60, "Sessions"), 20)
  }),
  result: Schema.Struct({
    symbol: Schema.NullOr(Schema.String).annotate({ description: "Null: the whole market" }),
    name: Schema.NullOr(Schema.String).annotate({ description: "Company" }),
    points: Schema.Array(Schema.Struct({
      date: Schema.String.annotate({ description: "Date of the session in Seoul" }),
      ...investorKindFields,
      provisional: Schema.Boolean.annotate({
        description: "True while the exchange may still correct the values this evening"
      })
    })).annotate({ description: "Bought minus sold, oldest first; the four kinds add up to 0" }),
    totals: Schema.Struct(investorKindFields).annotate({
      description: "Sums over the points; null if a point is null"
    }),
    foreign_streak: Schema.NullOr(Schema.Int).annotate({
      description:
        "Number of consecutive sessions up to the last in which foreigners bought (above 0) or sold (below 0)"
    }),
    notes,
    ...provenance
  }),
  example: { symbol: "005930", days: 5 }
})
