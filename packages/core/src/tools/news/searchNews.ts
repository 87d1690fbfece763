import { Schema } from "effect"
import { integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { notes, quantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { headline, makeQuotedField } from "./fields.ts"

const { source, time, title, url } = headline

export const searchNews = specify({
  name: "search_news",
  area: "news",
  scope: "read:market",
  credits: 20,
  summary: "Articles on any subject, by meaning and words, in English, Korean or Russian. Newest by ticker: " +
    "get_latest_news.",
  parameters: Schema.Struct({
    query: Schema.String.check(Schema.isBetweenLength(1, 500)),
    coin: optional(CoinArgument),
    since_hours: withDefault(integerBetween(1, 2160), 168),
    top: withDefault(integerBetween(1, 50), 10)
  }),
  result: Schema.Struct({
    articles: Schema.Array(Schema.Struct({
      title,
      url,
      source,
      time,
      score: quantity(
        "0 to 1; 1 if the article is first by both meaning and words. Comparable only within one result",
        fraction
      ),
      snippet: makeQuotedField("The passage with words of the query, otherwise the beginning")
    })).annotate({
      description: "Best match first; empty if no article matches the subject, the coins and the direction. An " +
        "empty result costs the full price"
    }),
    notes,
    ...provenance
  }),
  example: { query: "Tether issues new tokens", top: 5 }
})
