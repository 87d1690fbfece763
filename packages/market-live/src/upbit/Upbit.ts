/** Provides Upbit's won markets: markets with warnings, 24-hour prices and volumes, and candles. */
import { Context, Effect, Layer, Schema } from "effect"
import { CoinName, coinOf, type KrwApi, makeKrwSource } from "../korea/krwApi.ts"
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

export class Upbit extends Context.Service<Upbit, KrwSource>()("@tapeline/market-live/Upbit") {}

const Markets = lenientList(Schema.Struct({
  market: Name,
  korean_name: CoinName,
  english_name: CoinName,
  market_event: Schema.Struct({ warning: Schema.Boolean, caution: Schema.Record(Name, Schema.Boolean) })
}))

const Tickers = lenientShortList(Schema.Struct({
  market: Name,
  // The price is null or 0 until the market's first trade.
  trade_price: Schema.NullOr(NonNegativeNumeric),
  acc_trade_price_24h: NonNegativeNumeric,
  timestamp: InstantMs
}))

const dialect: KrwApi<typeof Markets.Type[number], typeof Tickers.Type[number]> = {
  exchange: "upbit",
  markets: { query: { is_details: "true" }, schema: Markets },
  toMarket: ({ english_name, korean_name, market, market_event: { caution, warning } }) => {
    const coin = coinOf(market)
    return coin === undefined ? undefined : {
      coin,
      koreanName: korean_name || null,
      englishName: english_name || null,
      isWarned: warning,
      cautions: Object.entries(caution).flatMap(([name, isActive]) => isActive ? [name] : [])
    }
  },
  maxTickers: Infinity,
  // A request for all markets costs as much as for one market, and does not fail because of a delisted market.
  tickers: () => ({ path: "/v1/ticker/all", query: { quote_currencies: "KRW" }, schema: Tickers }),
  toQuote: ({ acc_trade_price_24h, market, timestamp, trade_price }) => {
    const coin = coinOf(market)
    return coin === undefined || trade_price === null || trade_price === 0 ? undefined : {
      coin,
      exchange: "upbit",
      time: timestamp,
      krwPrice: trade_price,
      volume24hKrw: acc_trade_price_24h
    }
  },
  formatBoundary: (time) => new Date(time).toISOString().replace(".000", "")
}

/**
 * Upbit allows ten requests a second per group of endpoints, of which three are left to other users of the IP address.
 */
const groups = ["market", "ticker", "candle"] as const
const maxPerSecond = 10
const limits: ReadonlyArray<RateLimit> = groups.map((name) => ({ name, weight: 7, windowMs: 1_000 }))

/**
 * Computes the number of used requests from the remaining requests in the header `Remaining-Req: group=candles;
 * min=600; sec=9`.
 */
const readUsedWeight = (headers: Headers): RateLimit | undefined => {
  const match = /^group=([a-z-]{1,40});.*\bsec=(\d{1,9})$/u.exec(headers.get("remaining-req")?.trim() ?? "")
  const name = groups.find((group) => match?.[1] === group || match?.[1] === `${group}s`)
  return name === undefined
    ? undefined
    : { name, weight: Math.max(0, maxPerSecond - Number(match![2])), windowMs: 1_000 }
}

export const layerUpbit = (
  { baseUrl = "https://api.upbit.com", retryPolicy = {} }: KrwSourceOptions = {}
): Layer.Layer<Upbit, never, SourceHealth> =>
  Layer.effect(
    Upbit,
    Effect.map(
      makeSource({
        name: "upbit",
        baseUrl,
        limits,
        readBodyRejection: readKrwRejection,
        next: "bithumb",
        readUsedWeight,
        retryPolicy
      }),
      (source) => makeKrwSource(source, dialect)
    )
  )
