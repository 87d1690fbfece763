/** Probes of each source that can replace another one. Collectors use only the first that serves. */
import { Clock, Effect, Option } from "effect"
import { binanceSpotVenue, bybitSpotVenue, okxSpotVenue, type SpotVenue, trackedCoins } from "../collect/index.ts"
import { notConfigured } from "../source/index.ts"
import { BinanceSpot } from "../sources/binance/spot.ts"
import { BybitMarket } from "../sources/bybit/market.ts"
import { CoinGecko } from "../sources/caps/CoinGecko.ts"
import { CoinPaprika } from "../sources/caps/CoinPaprika.ts"
import type { CoinList } from "../sources/caps/types.ts"
import { yahooVariable } from "../sources/companies/joinedEquityMarkets.ts"
import { DefiLlama } from "../sources/defillama/DefiLlama.ts"
import { NewsFeeds } from "../sources/feeds/NewsFeeds.ts"
import { Bithumb } from "../sources/korea/Bithumb.ts"
import type { KrwSource } from "../sources/korea/types.ts"
import { Upbit } from "../sources/korea/Upbit.ts"
import { OkxMarket } from "../sources/okx/market.ts"
import { Yahoo, yahooName } from "../sources/yahoo/Yahoo.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import type { Probe } from "./question.ts"

/** The length of the past interval that is requested. */
const pastMs = 3_600_000

const ofVenue = (venue: SpotVenue, coin: string, now: number): ReadonlyArray<Probe> => {
  const { name: source } = venue
  const symbol = venue.symbolOf(coin)
  const past = { symbol, interval: "5m", from: now - pastMs, to: now } as const
  return [
    { source, what: "spot markets", ask: Effect.map(venue.markets, ({ rows }) => rows.length) },
    {
      source,
      what: `spot candles of ${coin}`,
      ask: Effect.map(venue.candles(past), ({ value }) => value?.length ?? 0)
    },
    { source, what: `the day of ${coin}`, ask: Effect.map(venue.tickers([{ coin, symbol }]), (all) => all.length) }
  ]
}

const ofExchange = (source: string, krw: KrwSource, now: number): ReadonlyArray<Probe> => {
  const past = { coin: "BTC", length: "5m", from: now - pastMs, to: now } as const
  return [
    { source, what: "markets in won", ask: Effect.map(krw.markets, ({ value }) => value.length) },
    { source, what: "prices in won", ask: Effect.map(krw.tickers(["BTC"]), ({ value }) => value.length) },
    {
      source,
      what: "candles in won",
      ask: Effect.map(krw.candles(past), ({ value }) => value?.candles.length ?? 0)
    }
  ]
}

const ofList = (source: string, list: CoinList, coin: string): ReadonlyArray<Probe> => [
  { source, what: "the whole market", ask: Effect.as(list.total, 1) },
  { source, what: "supplies", ask: Effect.map(list.coins([coin]), ({ value }) => value.length) }
]

const ofFeeds = Effect.map(NewsFeeds, (feeds) =>
  feeds.map(({ feed, items }): Probe => ({
    source: "news",
    what: feed.name,
    ask: Effect.map(items, ({ value }) => value.items.length)
  })))

/** Reports Yahoo as not configured unless an operator has enabled it. */
const ofYahoo: Effect.Effect<ReadonlyArray<Probe>> = Effect.map(
  Effect.serviceOption(Yahoo),
  (found) =>
    Option.isSome(found) ? [] : [{
      source: yahooName,
      what: "stocks",
      ask: Effect.fail(notConfigured(yahooName, yahooVariable, "your word that nobody else reads what it tells"))
    }]
)

export const askedOfEach = ({ coins = trackedCoins }: LiveSettings) =>
  Effect.gen(function*() {
    const coin = coins[0]?.coin ?? "BTC"
    const now = yield* Clock.currentTimeMillis
    const [binance, bybit, okx] = yield* Effect.all([BinanceSpot, BybitMarket, OkxMarket])
    const venues = [binanceSpotVenue(binance), bybitSpotVenue(bybit), okxSpotVenue(okx)]
    const llama = yield* DefiLlama
    return [
      ...venues.flatMap((venue) => ofVenue(venue, coin, now)),
      ...ofExchange("upbit", yield* Upbit, now),
      ...ofExchange("bithumb", yield* Bithumb, now),
      ...ofList("coinpaprika", yield* CoinPaprika, coin),
      ...ofList("coingecko", yield* CoinGecko, coin),
      {
        source: "defillama",
        what: "stablecoins",
        ask: Effect.map(llama.stablecoinFlows(1), ({ value }) => value.length).pipe(
          // DefiLlama has the data, or it is unavailable. Other errors are bugs.
          Effect.catchTags({ NoData: Effect.die, UnknownSymbol: Effect.die })
        )
      },
      ...(yield* ofFeeds),
      ...(yield* ofYahoo)
    ]
  })
