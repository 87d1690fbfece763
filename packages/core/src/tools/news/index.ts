import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getLatestNews } from "./getLatestNews.ts"
import { getNewsSentiment } from "./getNewsSentiment.ts"
import { searchNews } from "./searchNews.ts"

export { getLatestNews, getNewsSentiment, searchNews }

/** The specifications of the news tools, in the order of the catalogue. */
export const newsSpecifications = [searchNews, getLatestNews, getNewsSentiment] as const

/**
 * The handlers of the news tools, by tool name. Each handler is a module that an engine loads when it is built, so that
 * importing the specifications loads no handler. `export *` does not re-export a default export.
 */
export default {
  search_news: () => import("./searchNews.handler.ts"),
  get_latest_news: () => import("./getLatestNews.handler.ts"),
  get_news_sentiment: () => import("./getNewsSentiment.handler.ts")
} satisfies HandlersFrom<typeof newsSpecifications>
