import type { KoreanCoinMarkets } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { type CandleApi, codeNotFound, errorResponse, readOpenMarkets, serveCandles } from "../korea/candles.ts"
import { toTickerRow } from "../korea/tickers.ts"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

type Markets = KoreanCoinMarkets["Service"]

const api: CandleApi = {
  exchange: "upbit",
  dayShiftMs: 0,
  parseBoundary: (to) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u.test(to) ? Date.parse(to) : undefined
}

const noCautions = {
  PRICE_FLUCTUATIONS: false,
  TRADING_VOLUME_SOARING: false,
  DEPOSIT_AMOUNT_SOARING: false,
  GLOBAL_PRICE_DIFFERENCES: false,
  CONCENTRATION_OF_SMALL_ACCOUNTS: false
}

const allMarkets = Effect.fnUntraced(
  function*(markets: Markets, { query }: FakeRequest): Effect.fn.Return<FakeResponse> {
    const open = [...(yield* readOpenMarkets(markets, "upbit")).keys()]
    const event = (i: number) => ({ warning: i === 0, caution: { ...noCautions, TRADING_VOLUME_SOARING: i === 0 } })
    const krwCoins = open.map((coin, i) => ({
      market: `KRW-${coin}`,
      korean_name: `${coin} 코인`,
      english_name: coin,
      ...(query.get("is_details") === "true" ? { market_event: event(i) } : {})
    }))
    // Upbit also has markets that are not quoted in won.
    return { body: [{ ...krwCoins[0], market: "BTC-ETH" }, { ...krwCoins[0], market: "USDT-BTC" }, ...krwCoins] }
  }
)

const tickers = Effect.fnUntraced(function*(markets: Markets, { path, query }: FakeRequest): Effect.fn.Return<
  FakeResponse
> {
  const open = yield* readOpenMarkets(markets, "upbit")
  if (path.endsWith("/all")) {
    return query.get("quote_currencies") === "KRW"
      ? { body: Array.from(open.values(), toTickerRow) }
      : errorResponse(400, "invalid_parameter", "quote_currencies")
  }
  const requestedMarkets = (query.get("markets") ?? "").split(",")
  const tickers = requestedMarkets.map((market) => open.get(market.replace("KRW-", ""))).filter((ticker) =>
    ticker !== undefined
  )
  return tickers.length < requestedMarkets.length ? codeNotFound : { body: tickers.map(toTickerRow) }
})

const groupOf = (path: string): string =>
  path.startsWith("/v1/candles/") ? "candles" : path.startsWith("/v1/ticker") ? "ticker" : "market"

/**
 * Creates a fake of Upbit's won markets, in which each group of endpoints accepts `maxPerSecond` requests per second.
 */
export const makeUpbit = (markets: Markets, maxPerSecond = 10): RequestHandler => {
  const usedPerSecond = new Map<string, { readonly second: number; readonly count: number }>()
  const remaining = (path: string, now: number): number => {
    const group = groupOf(path)
    const second = Math.floor(now / 1_000)
    const known = usedPerSecond.get(group)
    const count = (known?.second === second ? known.count : 0) + 1
    usedPerSecond.set(group, { second, count })
    return maxPerSecond - count
  }
  const handle = (request: FakeRequest): Effect.Effect<FakeResponse | null> => {
    if (request.path === "/v1/market/all") return allMarkets(markets, request)
    if (request.path.startsWith("/v1/ticker")) return tickers(markets, request)
    return request.path.startsWith("/v1/candles/") ? serveCandles(markets, request, api) : Effect.succeed(null)
  }
  return Effect.fnUntraced(function*(request) {
    const left = remaining(request.path, yield* Clock.currentTimeMillis)
    const headers = { "remaining-req": `group=${groupOf(request.path)}; min=600; sec=${Math.max(0, left)}` }
    if (left < 0) return { ...errorResponse(429, "too_many_requests", "Too many API requests."), headers }
    const answer = yield* handle(request)
    return answer === null ? null : { ...answer, headers }
  })
}
