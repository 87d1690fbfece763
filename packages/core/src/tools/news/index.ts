import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getLatestNews } from "./getLatestNews.ts"
import { getNewsSentiment } from "./getNewsSentiment.ts"
import { searchNews } from "./searchNews.ts"

export { getLatestNews, getNewsSentiment, searchNews }

/** The area's specifications, in the order of the catalogue. */
export const newsSpecifications = [searchNews, getLatestNews, getNewsSentiment] as const

/**
 * The handlers by tool name. They are modules that an engine loads when it is built, so that importing the
 * specifications loads no handler. A default export, which `export *` does not re-export.
 */
export default {
  search_news: () => import("./searchNews.handler.ts"),
  get_latest_news: () => import("./getLatestNews.handler.ts"),
  get_news_sentiment: () => import("./getNewsSentiment.handler.ts")
} satisfies HandlersFrom<typeof newsSpecifications>
