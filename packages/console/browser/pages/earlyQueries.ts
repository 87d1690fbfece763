import type { ToolQuery } from "../requests/toolQuery.ts"
import { matchPath } from "../router/route.ts"
import { candlesQuery, overviewQuery, priceQuery } from "./market/queries.ts"
import { parseTicker } from "./market/searchCoins.ts"
import { parseTimeframe } from "./market/timeframe.ts"

/** Returns the tool calls that the page at a path sends when it opens. */
export const earlyQueries = (path: string, query: URLSearchParams): ReadonlyArray<ToolQuery> => {
  if (path === "/market") return [overviewQuery]
  const coin = parseTicker(matchPath("/market/:coin", path)?.["coin"] ?? "")
  return coin === undefined ? [] : [priceQuery(coin), candlesQuery(coin, parseTimeframe(query.get("tf")))]
}
