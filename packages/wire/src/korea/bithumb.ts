/** A fake of Bithumb's public API over core's `KoreanCoinMarkets`, according to Bithumb's REST documentation. */
import type { KoreanCoinMarkets, KrwTicker } from "@tapeline/core/market"
import { Effect } from "effect"
import type { WireRequest } from "../WireRequest.ts"
import type { Speaks, WireAnswer } from "../WireServer.ts"
import { type CandleDialect, candles, codeNotFound, koreanMs, openMarkets, refused } from "./candles.ts"
import { dayOf } from "./day.ts"

type Markets = KoreanCoinMarkets["Service"]

const dialect: CandleDialect = {
  exchange: "bithumb",
  dayShiftMs: koreanMs,
  // Korean local time, with a space or a T between date and time.
  boundaryOf: (to) =>
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d$/u.test(to) ? Date.parse(`${to.replace(" ", "T")}Z`) - koreanMs : undefined
}

/** Lists the markets. The first market has a warning. */
const allMarkets = Effect.fnUntraced(function*(markets: Markets, { query }: WireRequest): Effect.fn.Return<WireAnswer> {
  const open = [...(yield* openMarkets(markets, "bithumb")).keys()]
  const won = open.map((coin, i) => ({
    market: `KRW-${coin}`,
    korean_name: `${coin} 코인`,
    english_name: coin,
    ...(query.get("isDetails") === "true" ? { market_warning: i === 0 ? "CAUTION" : "NONE" } : {})
  }))
  return { body: [{ ...won[0], market: "BTC-ETH" }, ...won] }
})

/** Bithumb's timestamps are Korean local time, encoded as UTC. */
const shifted = (ticker: KrwTicker) => {
  const time = Math.trunc(ticker.time) + koreanMs
  return { ...dayOf(ticker), trade_timestamp: time, timestamp: time }
}

const tickers = Effect.fnUntraced(function*(markets: Markets, { query }: WireRequest): Effect.fn.Return<WireAnswer> {
  const open = yield* openMarkets(markets, "bithumb")
  const asked = (query.get("markets") ?? "").split(",")
  if (asked.length > 400) return refused(400, "invalid_parameter", "markets")
  const found = asked.map((market) => open.get(market.replace("KRW-", ""))).filter((ticker) => ticker !== undefined)
  return found.length < asked.length ? codeNotFound : { body: found.map(shifted) }
})

/** Serves Bithumb's won markets. */
export const bithumb = (markets: Markets): Speaks => (request) => {
  if (request.path === "/v1/market/all") return allMarkets(markets, request)
  if (request.path === "/v1/ticker") return tickers(markets, request)
  return request.path.startsWith("/v1/candles/") ? candles(markets, request, dialect) : Effect.succeed(null)
}
