import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getLatestNews } from "./getLatestNews.ts"
import { getNewsSentiment } from "./getNewsSentiment.ts"
import { searchNews } from "./searchNews.ts"

export { getLatestNews, getNewsSentiment, searchNews }

export const newsSpecifications = [searchNews, getLatestNews, getNewsSentiment] as const

/** Functions that import the handlers of the news tools, by tool name. */
export default {
  search_news: () => import("./searchNews.handler.ts"),
  get_latest_news: () => import("./getLatestNews.handler.ts"),
  get_news_sentiment: () => import("./getNewsSentiment.handler.ts")
} satisfies HandlersFrom<typeof newsSpecifications>
