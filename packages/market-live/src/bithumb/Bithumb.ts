/**
 * Provides Bithumb's won markets from an API that imitates Upbit's, except that Bithumb's times are Korean local times.
 */
import { hourMs } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import { CoinName, coinOf, type KrwApi, makeKrwSource, marketOf } from "../korea/krwApi.ts"
import type { KrwSource, KrwSourceOptions } from "../korea/KrwSource.ts"
import { readKrwRejection } from "../korea/rejections.ts"
import {
  InstantMs,
  lenientList,
  lenientShortList,
  makeSource,
  Name,
  NonNegativeNumeric,
  type RateLimit,
  SourceHealth
} from "../source/index.ts"

export class Bithumb extends Context.Service<Bithumb, KrwSource>()("@tapeline/market-live/Bithumb") {}

const Markets = lenientList(Schema.Struct({
  market: Name,
  korean_name: CoinName,
  english_name: CoinName,
  market_warning: Schema.Literals(["NONE", "CAUTION"])
}))

const koreanOffsetMs = 9 * hourMs

const parseDigits = (date: string, time: string): number =>
  Date.parse(
    `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`
  )

const Digits = (count: number) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^\\d{${count}}$`, "u"), { expected: `${count} digits` }))

const Ticker = Schema.Struct({
  market: Name,
  // The price is null or 0 until the market's first trade.
  trade_price: Schema.NullOr(NonNegativeNumeric),
  acc_trade_price_24h: NonNegativeNumeric,
  trade_date: Digits(8),
  trade_time: Digits(6),
  trade_timestamp: InstantMs,
  timestamp: InstantMs
})
type Ticker = typeof Ticker.Type

/** Returns how far a ticker's timestamps are ahead of UTC: by 0, or by nine hours if they are Korean local times. */
const clockOffsetMs = ({ trade_date, trade_time, trade_timestamp }: Ticker): number =>
  Math.floor(trade_timestamp / 1_000) * 1_000 - parseDigits(trade_date, trade_time)

const Tickers = lenientShortList(
  Ticker.check(
    Schema.makeFilter((ticker: Ticker) => [0, koreanOffsetMs].includes(clockOffsetMs(ticker)), {
      expected: "times that agree"
    })
  )
)

const dialect: KrwApi<typeof Markets.Type[number], Ticker> = {
  exchange: "bithumb",
  markets: { query: { isDetails: "true" }, schema: Markets },
  toMarket: ({ english_name, korean_name, market, market_warning }) => {
    const coin = coinOf(market)
    return coin === undefined ? undefined : {
      coin,
      koreanName: korean_name || null,
      englishName: english_name || null,
      isWarned: market_warning === "CAUTION",
      cautions: []
    }
  },
  // A request for more markets would have a URL that is too long for some proxies.
  maxTickers: 100,
  tickers: (coins) => ({ path: "/v1/ticker", query: { markets: coins.map(marketOf).join(",") }, schema: Tickers }),
  toQuote: (ticker) => {
    const coin = coinOf(ticker.market)
    return coin === undefined || ticker.trade_price === null || ticker.trade_price === 0 ? undefined : {
      coin,
      exchange: "bithumb",
      time: ticker.timestamp - clockOffsetMs(ticker),
      krwPrice: ticker.trade_price,
      volume24hKrw: ticker.acc_trade_price_24h
    }
  },
  formatBoundary: (time) => new Date(time + koreanOffsetMs).toISOString().slice(0, 19)
}

/** Bithumb allows 150 requests a second per group of endpoints, and does not report the used requests. */
const limits: ReadonlyArray<RateLimit> = ["market", "ticker", "candle"].map((name) => ({
  name,
  weight: 30,
  windowMs: 1_000
}))

export const layerBithumb = (
  { baseUrl = "https://api.bithumb.com", retryPolicy = {} }: KrwSourceOptions = {}
): Layer.Layer<Bithumb, never, SourceHealth> =>
  Layer.effect(
    Bithumb,
    Effect.map(
      makeSource({ name: "bithumb", baseUrl, limits, readBodyRejection: readKrwRejection, next: "upbit", retryPolicy }),
      (source) => makeKrwSource(source, dialect)
    )
  )
