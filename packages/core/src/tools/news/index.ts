import type { HandlersFrom } from "../../tool/implement.ts"
import { getLatestNews } from "./getLatestNews.ts"
import { getNewsSentiment } from "./getNewsSentiment.ts"

export { getLatestNews, getNewsSentiment }

/** The area's specifications, in the order of the catalogue. */
export const newsSpecifications = [getLatestNews, getNewsSentiment] as const

/**
 * What answers them, by name. Modules that an engine loads when it is built: who reads the specifications gets no
 * handler. The default export, which `export *` passes over.
 */
export default {
  get_latest_news: () => import("./getLatestNews.handler.ts"),
  get_news_sentiment: () => import("./getNewsSentiment.handler.ts")
} satisfies HandlersFrom<typeof newsSpecifications>
