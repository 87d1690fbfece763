import { Schema } from "effect"
import { indexFields, marketFields, NamedIndex } from "../../analysis/equities/resultFields.ts"
import { noArguments } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

const Index = Schema.NullOr(Schema.Struct(indexFields))

export const getKrMarket = specify({
  name: "get_kr_market",
  area: "korea",
  scope: "read:market",
  credits: 5,
  summary: "Korea's stock market now: indices, USD/KRW, breadth, sectors, foreigners. By day: get_kr_investor_flows.",
  parameters: noArguments,
  result: Schema.Struct({
    kospi: Index,
    kosdaq: Index,
    usd_krw: Schema.NullOr(Schema.Struct({
      rate: quantity("KRW per USD, interbank"),
      change_24h_pct: nullableQuantity(
        "Above 0, the won has weakened; null if the earlier rate is unknown",
        percent
      ),
      time: Instant.annotate({ description: "Time of the quote; the interbank market is closed at weekends" })
    })).annotate({ description: "Null while its source is unavailable" }),
    session: marketFields.session,
    traded_at: Schema.NullOr(marketFields.traded_at).annotate({
      description: "Null while the source of stocks is unavailable"
    }),
    breadth: Schema.NullOr(marketFields.breadth).annotate({
      description: "Null while the source of stocks is unavailable"
    }),
    sectors: marketFields.sectors,
    foreign_net_krw: nullableQuantity(
      "Foreigners' net buying in the current or last session, KRW; null if no source reports it",
      roundToDecimals(0)
    ),
    futures: Schema.Array(NamedIndex).annotate({ description: "Each at its own last trade" }),
    notes,
    ...provenance
  }),
  example: {}
})
