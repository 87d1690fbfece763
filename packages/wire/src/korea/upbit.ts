/** Upbit's quotation interface on the wire, as its REST documents say, over core's `KoreanCoinMarkets`. */
import type { KoreanCoinMarkets, KrwTicker } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { WireRequest } from "../WireRequest.ts"
import type { Speaks, WireAnswer } from "../WireServer.ts"
import { type CandleDialect, candles, codeNotFound, koreanMs, openMarkets, refused } from "./candles.ts"

type Markets = KoreanCoinMarkets["Service"]

const dialect: CandleDialect = {
  exchange: "upbit",
  dayShiftMs: 0,
  boundaryOf: (to) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u.test(to) ? Date.parse(to) : undefined
}

const calm = {
  PRICE_FLUCTUATIONS: false,
  TRADING_VOLUME_SOARING: false,
  DEPOSIT_AMOUNT_SOARING: false,
  GLOBAL_PRICE_DIFFERENCES: false,
  CONCENTRATION_OF_SMALL_ACCOUNTS: false
}

/** The first market is one to be careful about. */
const allMarkets = Effect.fnUntraced(function*(markets: Markets, { query }: WireRequest): Effect.fn.Return<WireAnswer> {
  const open = [...(yield* openMarkets(markets, "upbit")).keys()]
  const event = (i: number) => ({ warning: i === 0, caution: { ...calm, TRADING_VOLUME_SOARING: i === 0 } })
  const won = open.map((coin, i) => ({
    market: `KRW-${coin}`,
    korean_name: `${coin} 코인`,
    english_name: coin,
    ...(query.get("is_details") === "true" ? { market_event: event(i) } : {})
  }))
  // It trades in others than won as well.
  return { body: [{ ...won[0], market: "BTC-ETH" }, { ...won[0], market: "USDT-BTC" }, ...won] }
})

const stamp = (time: number) => {
  const [date = "", rest = ""] = new Date(time).toISOString().split("T")
  return { date: date.replaceAll("-", ""), time: rest.slice(0, 8).replaceAll(":", "") }
}

const dayOf = ({ coin, krwPrice, time, volume24hKrw }: KrwTicker) => {
  const [utc, kst] = [stamp(time), stamp(time + koreanMs)]
  return {
    market: `KRW-${coin}`,
    trade_date: utc.date,
    trade_time: utc.time,
    trade_date_kst: kst.date,
    trade_time_kst: kst.time,
    trade_timestamp: time,
    opening_price: krwPrice,
    high_price: krwPrice,
    low_price: krwPrice,
    trade_price: krwPrice,
    prev_closing_price: krwPrice,
    change: "EVEN",
    change_price: 0,
    change_rate: 0,
    signed_change_price: 0,
    signed_change_rate: 0,
    trade_volume: 1,
    acc_trade_price: volume24hKrw / 2,
    acc_trade_price_24h: volume24hKrw,
    acc_trade_volume: volume24hKrw / krwPrice / 2,
    acc_trade_volume_24h: volume24hKrw / krwPrice,
    highest_52_week_price: krwPrice,
    highest_52_week_date: "2026-01-15",
    lowest_52_week_price: krwPrice,
    lowest_52_week_date: "2026-01-15",
    timestamp: time
  }
}

const tickers = Effect.fnUntraced(function*(markets: Markets, { path, query }: WireRequest): Effect.fn.Return<
  WireAnswer
> {
  const open = yield* openMarkets(markets, "upbit")
  if (path.endsWith("/all")) {
    return query.get("quote_currencies") === "KRW"
      ? { body: Array.from(open.values(), dayOf) }
      : refused(400, "invalid_parameter", "quote_currencies")
  }
  const asked = (query.get("markets") ?? "").split(",")
  const found = asked.map((market) => open.get(market.replace("KRW-", ""))).filter((ticker) => ticker !== undefined)
  return found.length < asked.length ? codeNotFound : { body: found.map(dayOf) }
})

const groupOf = (path: string): string =>
  path.startsWith("/v1/candles/") ? "candles" : path.startsWith("/v1/ticker") ? "ticker" : "market"

/** Upbit's markets against the won. It takes so many requests a second of each group, and tells how many are left. */
export const upbit = (markets: Markets, mostInSecond = 10): Speaks => {
  const used = new Map<string, { readonly second: number; readonly count: number }>()
  const remaining = (path: string, now: number): number => {
    const group = groupOf(path)
    const second = Math.floor(now / 1_000)
    const known = used.get(group)
    const count = (known?.second === second ? known.count : 0) + 1
    used.set(group, { second, count })
    return mostInSecond - count
  }
  const speak = (request: WireRequest): Effect.Effect<WireAnswer | null> => {
    if (request.path === "/v1/market/all") return allMarkets(markets, request)
    if (request.path.startsWith("/v1/ticker")) return tickers(markets, request)
    return request.path.startsWith("/v1/candles/") ? candles(markets, request, dialect) : Effect.succeed(null)
  }
  return Effect.fnUntraced(function*(request) {
    const left = remaining(request.path, yield* Clock.currentTimeMillis)
    const headers = { "remaining-req": `group=${groupOf(request.path)}; min=600; sec=${Math.max(0, left)}` }
    if (left < 0) return { ...refused(429, "too_many_requests", "Too many API requests."), headers }
    const answer = yield* speak(request)
    return answer === null ? null : { ...answer, headers }
  })
}
