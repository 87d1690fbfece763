// The contract suites of feeds, KRW markets, rates and tokens detect incorrect adapters, each by the named check.
import {
  ExchangeRates,
  KoreanCoinMarkets,
  type KrwPoint,
  type KrwTicker,
  NewsFeed,
  OnchainFlows,
  SocialFeed,
  type SteppedInterval,
  type TokenDetails,
  TokenMarkets
} from "@tapeline/core/market"
import { exchangeRatesContract } from "@tapeline/testing/contracts/exchangeRates"
import { koreanCoinMarketsContract } from "@tapeline/testing/contracts/koreanCoinMarkets"
import { newsFeedContract } from "@tapeline/testing/contracts/newsFeed"
import { onchainFlowsContract } from "@tapeline/testing/contracts/onchainFlows"
import { socialFeedContract } from "@tapeline/testing/contracts/socialFeed"
import { tokenMarketsContract } from "@tapeline/testing/contracts/tokenMarkets"
import { waive } from "@tapeline/testing/contracts/waiver"
import { Effect } from "effect"
import {
  assertFaultsDetected,
  fillPoints,
  makeFaultyAdapter,
  mapReadingValue,
  withAsOf
} from "./support/faultyAdapters.ts"
import { getRecentKrwListings } from "./support/krwListings.ts"
import { layerCompleteMarket, now, outage, testWorld } from "./support/markets.ts"

/** Fills missing buckets as if nothing had happened in them, and reports no gaps. */
const silence = <A extends { readonly time: number }>(
  { from, stepMs, to }: SteppedInterval,
  points: ReadonlyArray<A>,
  none: Omit<A, "time">,
  make: (none: Omit<A, "time">, time: number) => A
) => ({
  points: fillPoints({ from: Math.floor(from / stepMs) * stepMs, to, stepMs }, points, (_, time) => make(none, time)),
  gaps: []
})

const nobody = { mentions: 0, authors: 0, sentiment: null }
const social = makeFaultyAdapter(SocialFeed)
const quiet = "an outage is no silence: it is a gap, with no bucket and no post"

assertFaultsDetected(socialFeedContract, { now, coin: "DOGE", outage, backfill: waive("told elsewhere") }, [
  [
    "an outage as silence",
    quiet,
    social((honest) => ({
      activity: (query) =>
        mapReadingValue(
          honest.activity(query),
          ({ points }) => silence(query, points, nobody, (none, time) => ({ time, ...none }))
        )
    }))
  ],
  [
    "an outage as silence about all coins",
    quiet,
    social((honest) => ({
      activityByCoin: (query) =>
        mapReadingValue(honest.activityByCoin(query), (all) =>
          all.map(({ coin, points }) => ({
            coin,
            ...silence(query, points, nobody, (none, time) => ({ time, ...none }))
          })))
    }))
  ],
  [
    "posts as of now, whenever they were written",
    "posts lie in the half-open interval; a limit keeps the newest",
    social((honest) => ({ posts: (query) => withAsOf(honest.posts(query), now) }))
  ],
  [
    "accounts of the future",
    "posts lie in the half-open interval; a limit keeps the newest",
    social((honest) => ({
      posts: (query) =>
        mapReadingValue(
          honest.posts(query),
          (all) => all.map((post) => ({ ...post, account: { ...post.account, createdAt: post.time + 1 } }))
        )
    }))
  ]
])

assertFaultsDetected(onchainFlowsContract, { now, coin: "UNI", outage }, [
  [
    "an outage without trades",
    "an outage is a gap, which is not no trade",
    makeFaultyAdapter(OnchainFlows)((honest) => ({
      dexActivity: (query) =>
        mapReadingValue(
          honest.dexActivity(query),
          ({ coverage, points }) => ({
            ...silence(query, points, { buyUsd: 0, sellUsd: 0, trades: 0 }, (none, time) => ({ time, ...none })),
            coverage
          })
        )
    }))
  ],
  [
    "as much in five minutes as in an hour",
    "what is traded in a bucket is what is traded in its parts",
    makeFaultyAdapter(OnchainFlows)((honest) => ({
      dexActivity: (query) =>
        mapReadingValue(honest.dexActivity(query), ({ points, ...rest }) => ({
          ...rest,
          points: points.map((point) => ({ ...point, buyUsd: 1_000, sellUsd: 1_000 }))
        }))
    }))
  ]
])

assertFaultsDetected(newsFeedContract, { now, coin: "BTC", symbol: "AAPL" }, [
  [
    "articles as of now, whenever they were published",
    "articles lie in the half-open interval; a limit keeps the newest",
    makeFaultyAdapter(NewsFeed)((honest) => ({ articles: (query) => withAsOf(honest.articles(query), now) }))
  ],
  [
    "no articles",
    "those about a coin or a symbol are the ones of all that name it",
    makeFaultyAdapter(NewsFeed)((honest) => ({
      articles: (query) => mapReadingValue(honest.articles(query), () => [])
    }))
  ]
])

const korea = makeFaultyAdapter(KoreanCoinMarkets)
const wholeKorea = makeFaultyAdapter(KoreanCoinMarkets, layerCompleteMarket)
const tickers = (make: typeof korea, lie: (ticker: KrwTicker) => KrwTicker) =>
  make((honest) => ({ tickers: mapReadingValue(honest.tickers, (all) => all.map(lie)) }))
const won = (lie: (point: KrwPoint) => KrwPoint) =>
  korea((honest) => ({
    history: (query) =>
      mapReadingValue(honest.history(query), ({ gaps, points }) => ({ gaps, points: points.map(lie) }))
  }))
const open = "every open market once, each as of its own time, largest volume first"
const legs = "history has the grid's instants within the half-open interval but for gaps, and legs that make a premium"

assertFaultsDetected(
  koreanCoinMarketsContract,
  { now, coin: "XRP", unlisted: "DAI", outage, quoteless: "XRP", ...getRecentKrwListings(testWorld, now) },
  [
    [
      "a price that holds through an outage",
      "an outage is a gap, and no price holds through it",
      korea((honest) => ({
        history: (query) =>
          mapReadingValue(honest.history(query), ({ points }) => ({ points: fillPoints(query, points), gaps: [] }))
      }))
    ],
    ["dollars for one won", legs, won((point) => ({ ...point, usdKrw: 1 }))],
    ["dollars for less than nothing", legs, won((point) => ({ ...point, usdtKrw: -5 }))],
    [
      "next to nothing where nobody quotes abroad",
      "what nobody quotes abroad has no price there",
      tickers(korea, (one) => ({ ...one, usdtPrice: one.usdtPrice ?? 1e-9 }))
    ],
    ["a price abroad that is none", open, tickers(korea, (one) => ({ ...one, usdtPrice: 1e-9 * one.krwPrice }))],
    ["no change of a day", open, tickers(wholeKorea, (one) => ({ ...one, change24hPct: -7 }))],
    [
      "a change of the day of a market that is younger",
      open,
      tickers(wholeKorea, (one) => ({ ...one, change24hPct: one.change24hPct ?? 0 }))
    ],
    [
      "another market than the main one",
      "history is of the exchange where a coin trades most, unless one is named",
      korea((honest) => ({ history: (query) => honest.history({ exchange: "upbit", ...query }) }))
    ],
    [
      "listings that forget",
      "a market that opened lately is among the listings and the tickers",
      korea((honest) => ({ listings: (query) => mapReadingValue(honest.listings(query), () => []) }))
    ],
    [
      "markets that never close",
      "a market that closed is among the delistings, and no longer open",
      korea((honest) => ({ delistings: (query) => mapReadingValue(honest.delistings(query), () => []) }))
    ]
  ]
)

const rates = makeFaultyAdapter(ExchangeRates)

assertFaultsDetected(exchangeRatesContract, { now, outage }, [
  [
    "a rate that holds through an outage without a gap",
    "an outage is a gap, in which the rate quoted before it holds",
    rates((honest) => ({
      history: (query) =>
        mapReadingValue(honest.history(query), ({ points }) => ({ points: fillPoints(query, points), gaps: [] }))
    }))
  ],
  [
    "a rate that was quoted in an outage",
    "an outage is a gap, in which the rate quoted before it holds",
    rates((honest) => ({
      rate: (query) => mapReadingValue(honest.rate(query), (rate) => ({ ...rate, quotedAt: rate.time }))
    }))
  ],
  [
    "dollars for a won",
    "the won costs as much in USDT as in dollars, give or take a premium",
    rates((honest) => ({
      rate: (query) =>
        mapReadingValue(
          honest.rate(query),
          (rate) => query.pair === "usd_krw" ? { ...rate, rate: 1 / rate.rate } : rate
        )
    }))
  ]
])

const tokens = makeFaultyAdapter(TokenMarkets)
const details = (lie: (token: TokenDetails) => TokenDetails) =>
  tokens((honest) => ({ token: (query) => mapReadingValue(honest.token(query), lie) }))
const found = "a token is found by its ticker, and by the address that a search gives"
const flows = "stablecoins are largest first, exchanges' part null where nobody tells it"

assertFaultsDetected(tokenMarketsContract, { now, coin: "ETH" }, [
  ["a token as of 1970", found, tokens((honest) => ({ token: (query) => withAsOf(honest.token(query), 0) }))],
  ["a value below nothing", found, details((token) => ({ ...token, fdvUsd: -1 }))],
  ["another value than the price's", found, details((token) => ({ ...token, fdvUsd: 3 * (token.fdvUsd ?? 1) }))],
  ["more in circulation than there is", found, details((token) => ({ ...token, circulatingSupply: 1e30 }))],
  ["no supply at all", found, details((token) => ({ ...token, totalSupply: 0 }))],
  ["liquidity below nothing", found, details((token) => ({ ...token, liquidityUsd: -1 }))],
  [
    "no transfers",
    "transfers lie in the half-open interval, none smaller than 100,000 USD, at most 1,000",
    tokens((honest) => ({ whaleTransfers: (query) => mapReadingValue(honest.whaleTransfers(query), () => []) }))
  ],
  [
    "a token for its address on another chain",
    found,
    tokens((honest) => ({
      token: (query) =>
        honest.token("coin" in query ? query : { ...query, chain: "solana" }).pipe(
          Effect.catchTag("UnknownSymbol", () => honest.token({ coin: "ETH" }))
        )
    }))
  ],
  [
    "small transfers among large ones",
    "transfers of at least a size are those of all that are as large",
    tokens((honest) => ({ whaleTransfers: ({ minUsd: _, ...query }) => honest.whaleTransfers(query) }))
  ],
  [
    "more minted than there is",
    flows,
    tokens((honest) => ({
      stablecoinFlows: (days) =>
        mapReadingValue(honest.stablecoinFlows(days), (all) => all.map((flow) => ({ ...flow, changeUsd: 1e15 })))
    }))
  ]
])
