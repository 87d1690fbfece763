import type { EquityCountry } from "@tapeline/core/market"
import { Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import type { YahooAuth } from "./auth.ts"
import { serveChart } from "./charts.ts"
import { serveOptions, serveSummary } from "./companies.ts"
import { readRow, type YahooPorts } from "./quotes.ts"

const serveQuotes = Effect.fnUntraced(
  function*(ports: YahooPorts, { query }: FakeRequest): Effect.fn.Return<FakeResponse> {
    const symbols = (query.get("symbols") ?? "").split(",")
    const { equities } = ports
    // All indices of a country come from one market summary, so each summary is read only once.
    const markets = { US: yield* Effect.cached(equities.market("US")), KR: yield* Effect.cached(equities.market("KR")) }
    const yahooPorts = { ...ports, equities: { ...equities, market: (country: EquityCountry) => markets[country] } }
    const rows = yield* Effect.forEach(symbols, (symbol) => readRow(yahooPorts, symbol))
    return { body: { quoteResponse: { result: rows.filter((row) => row !== null), error: null } } }
  }
)

const lastPart = (path: string): string => decodeURIComponent(path.slice(path.lastIndexOf("/") + 1))

/** Creates a fake of Yahoo's finance API, which serves charts without credentials and other data with a crumb. */
export const makeYahoo = (ports: YahooPorts, auth: YahooAuth): RequestHandler => (request) => {
  const { path, query } = request
  if (path.startsWith("/v8/finance/chart/")) return serveChart(ports, lastPart(path), query)
  if (path === "/v7/finance/quote") return auth.guard(request, serveQuotes(ports, request))
  if (path.startsWith("/v7/finance/options/")) return auth.guard(request, serveOptions(ports, lastPart(path), query))
  if (path.startsWith("/v10/finance/quoteSummary/")) {
    return auth.guard(request, serveSummary(ports, lastPart(path), query))
  }
  return Effect.succeed(null)
}
