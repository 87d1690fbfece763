/**
 * A fake of Yahoo's finance API over core's `EquityMarkets`, with the requests and responses that widely used clients
 * rely on.
 */
import type { EquityCountry } from "@tapeline/core/market"
import { Effect } from "effect"
import type { WireRequest } from "../WireRequest.ts"
import type { Speaks, WireAnswer } from "../WireServer.ts"
import { chart } from "./charts.ts"
import { options, summary } from "./companies.ts"
import type { YahooDoor } from "./door.ts"
import { rowOf, type YahooPorts } from "./quotes.ts"

const quotes = Effect.fnUntraced(function*(ports: YahooPorts, { query }: WireRequest): Effect.fn.Return<WireAnswer> {
  const symbols = (query.get("symbols") ?? "").split(",")
  const { equities } = ports
  // All indices of a country come from one summary, so it is read once.
  const markets = { US: yield* Effect.cached(equities.market("US")), KR: yield* Effect.cached(equities.market("KR")) }
  const own = { ...ports, equities: { ...equities, market: (country: EquityCountry) => markets[country] } }
  const rows = yield* Effect.forEach(symbols, (symbol) => rowOf(own, symbol))
  return { body: { quoteResponse: { result: rows.filter((row) => row !== null), error: null } } }
})

const lastPart = (path: string): string => decodeURIComponent(path.slice(path.lastIndexOf("/") + 1))

/** Serves charts to every client, and other data only with a cookie and crumb from `door`. */
export const yahoo = (ports: YahooPorts, door: YahooDoor): Speaks => (request) => {
  const { path, query } = request
  if (path.startsWith("/v8/finance/chart/")) return chart(ports, lastPart(path), query)
  if (path === "/v7/finance/quote") return door.guard(request, quotes(ports, request))
  if (path.startsWith("/v7/finance/options/")) return door.guard(request, options(ports, lastPart(path), query))
  if (path.startsWith("/v10/finance/quoteSummary/")) return door.guard(request, summary(ports, lastPart(path), query))
  return Effect.succeed(null)
}
