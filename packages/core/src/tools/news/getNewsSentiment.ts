import { Schema } from "effect"
import { asOfArgument, integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"
import { atMostOneInstrumentCheck, instrumentArguments } from "./arguments.ts"
import { headline, instrumentFields } from "./fields.ts"

const makeMeanField = (of: string) => quantity(`Mean tone of ${of}, -1 to 1`, fraction)
const Headlines = Schema.Array(Schema.Struct(headline))

export const getNewsSentiment = specify({
  name: "get_news_sentiment",
  area: "news",
  scope: "read:market",
  credits: 1,
  summary: "Tone of articles about a coin, a stock or anything: mean, change, by source, extremes.",
  parameters: Schema.Struct({
    ...instrumentArguments,
    hours: withDefault(integerBetween(1, 720), 72),
    at: asOfArgument
  }).check(atMostOneInstrumentCheck),
  result: Schema.Struct({
    ...instrumentFields,
    from: Instant.annotate({ description: "Since when articles are counted" }),
    sentiment: nullableQuantity("Mean tone of the n articles, each counted once, -1 to 1; null without any", fraction),
    n: Schema.Int.annotate({ description: "Articles with a tone" }),
    articles: Schema.Int.annotate({ description: "Articles, with a tone or without" }),
    n_by_words: Schema.Int.annotate({
      description: "Of n, those that their source does not judge, so that words of title and body do"
    }),
    positive: Schema.Int.annotate({ description: "Of n, with a tone of at least 0.1" }),
    negative: Schema.Int.annotate({ description: "Of n, with a tone of at most -0.1" }),
    change: nullableQuantity(
      "Mean tone of the newer half of the time since `from` less that of the older half; null where one has none",
      fraction
    ),
    by_source: Schema.Array(
      Schema.Struct({ source: Schema.String, n: Schema.Int, sentiment: makeMeanField("its articles") })
    )
      .annotate({ description: "The ten that wrote most; the rest is in n alone" }),
    by_language: Schema.Array(
      Schema.Struct({ language: Schema.String, n: Schema.Int, sentiment: makeMeanField("its articles") })
    )
      .annotate({ description: "They add up to n" }),
    top_positive: Headlines.annotate({ description: "The three most positive, above 0" }),
    top_negative: Headlines.annotate({ description: "The three most negative, below 0" }),
    notes,
    ...provenance
  }),
  example: { hours: 24 }
})
