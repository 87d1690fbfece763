import { Schema } from "effect"
import { at, top } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"
import { aboutArguments, oneInstrument } from "./arguments.ts"
import { about, ArticleRow } from "./fields.ts"

export const getLatestNews = specify({
  name: "get_latest_news",
  area: "news",
  scope: "read:market",
  credits: 1,
  summary:
    "Newest articles about a coin, a stock or anything. By subject: search_news; their tone: get_news_sentiment.",
  parameters: Schema.Struct({ ...aboutArguments, top, at }).check(oneInstrument),
  result: Schema.Struct({
    ...about,
    articles: Schema.Array(ArticleRow).annotate({ description: "Newest first, of the last 30 days" }),
    notes,
    ...provenance
  }),
  example: { top: 5 }
})
