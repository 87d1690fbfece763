import { Schema } from "effect"
import { asOfArgument, topArgument } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"
import { atMostOneInstrumentCheck, instrumentArguments } from "./arguments.ts"
import { ArticleRow, instrumentFields } from "./fields.ts"

export const getLatestNews = specify({
  name: "get_latest_news",
  area: "news",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary:
    "Newest articles about a coin, a stock or anything. By subject: search_news; their tone: get_news_sentiment.",
  parameters: Schema.Struct({ ...instrumentArguments, top: topArgument, at: asOfArgument }).check(
    atMostOneInstrumentCheck
  ),
  result: Schema.Struct({
    ...instrumentFields,
    articles: Schema.Array(ArticleRow).annotate({ description: "Newest first, of the last 30 days" }),
    notes,
    ...provenance
  }),
  example: { top: 5 }
})
