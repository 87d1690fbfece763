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
  pure: true,
  summary: "Tone of articles about a coin, a stock or anything: mean, change, by source, extremes.",
  parameters: Schema.Struct({
    ...instrumentArguments,
    hours: withDefault(integerBetween(1, 720), 72),
    at: asOfArgument
  }).check(atMostOneInstrumentCheck),
  result: Schema.Struct({
    ...instrumentFields,
    from: Instant.annotate({ description: "Start of the counted period" }),
    sentiment: nullableQuantity(
      "Mean tone of the n articles, each counted once, -1 to 1; null without articles",
      fraction
    ),
    n: Schema.Int.annotate({ description: "Number of articles with a tone" }),
    articles: Schema.Int.annotate({ description: "Number of all articles" }),
    n_by_words: Schema.Int.annotate({
      description: "Articles of n whose tone is computed from words because their source has none"
    }),
    positive: Schema.Int.annotate({ description: "Articles of n with a tone of at least 0.1" }),
    negative: Schema.Int.annotate({ description: "Articles of n with a tone of at most -0.1" }),
    change: nullableQuantity(
      "Mean tone of the newer half of the period minus that of the older half; null if either half has none",
      fraction
    ),
    by_source: Schema.Array(
      Schema.Struct({ source: Schema.String, n: Schema.Int, sentiment: makeMeanField("its articles") })
    )
      .annotate({ description: "The ten sources with the most articles; n also counts the other sources" }),
    by_language: Schema.Array(
      Schema.Struct({ language: Schema.String, n: Schema.Int, sentiment: makeMeanField("its articles") })
    )
      .annotate({ description: "The counts add up to n" }),
    top_positive: Headlines.annotate({ description: "The three most positive articles, above 0" }),
    top_negative: Headlines.annotate({ description: "The three most negative articles, below 0" }),
    notes,
    ...provenance
  }),
  example: { hours: 24 }
})
