import type { KoreanCoinMarkets, KrwTicker } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  type CandleApi,
  codeNotFound,
  errorResponse,
  koreanOffsetMs,
  readOpenMarkets,
  serveCandles
} from "../korea/candles.ts"
import { toTickerRow } from "../korea/tickers.ts"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

type Markets = KoreanCoinMarkets["Service"]

const api: CandleApi = {
  exchange: "bithumb",
  dayShiftMs: koreanOffsetMs,
  // Bithumb's `to` parameter is in Korean local time.
  parseBoundary: (to) =>
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d$/u.test(to)
      ? Date.parse(`${to.replace(" ", "T")}Z`) - koreanOffsetMs
      : undefined
}

const allMarkets = Effect.fnUntraced(
  function*(markets: Markets, { query }: FakeRequest): Effect.fn.Return<FakeResponse> {
    const open = [...(yield* readOpenMarkets(markets, "bithumb")).keys()]
    const krwCoins = open.map((coin, i) => ({
      market: `KRW-${coin}`,
      korean_name: `${coin} 코인`,
      english_name: coin,
      ...(query.get("isDetails") === "true" ? { market_warning: i === 0 ? "CAUTION" : "NONE" } : {})
    }))
    return { body: [{ ...krwCoins[0], market: "BTC-ETH" }, ...krwCoins] }
  }
)

/** Adds Bithumb's timestamps to a ticker, which are Korean local times marked as UTC. */
const withKoreanTime = (ticker: KrwTicker) => {
  const time = Math.trunc(ticker.time) + koreanOffsetMs
  return { ...toTickerRow(ticker), trade_timestamp: time, timestamp: time }
}

const tickers = Effect.fnUntraced(function*(markets: Markets, { query }: FakeRequest): Effect.fn.Return<FakeResponse> {
  const open = yield* readOpenMarkets(markets, "bithumb")
  const requestedMarkets = (query.get("markets") ?? "").split(",")
  if (requestedMarkets.length > 400) return errorResponse(400, "invalid_parameter", "markets")
  const tickers = requestedMarkets.map((market) => open.get(market.replace("KRW-", ""))).filter((ticker) =>
    ticker !== undefined
  )
  return tickers.length < requestedMarkets.length ? codeNotFound : { body: tickers.map(withKoreanTime) }
})

/** Creates a fake of Bithumb's won markets, according to Bithumb's REST documentation. */
export const makeBithumb = (markets: Markets): RequestHandler => (request) => {
  if (request.path === "/v1/market/all") return allMarkets(markets, request)
  if (request.path === "/v1/ticker") return tickers(markets, request)
  return request.path.startsWith("/v1/candles/") ? serveCandles(markets, request, api) : Effect.succeed(null)
}
