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
import { assertFaultsDetected, fillPoints, makeFaultyAdapter } from "./support/faultyAdapters.ts"
import { getRecentKrwListings } from "./support/krwListings.ts"
import { layerCompleteMarket, now, outage, testWorld } from "./support/markets.ts"

/** Wrongly fills missing buckets with empty buckets and reports no gaps. */
const silence = <A extends { readonly time: number }>(
  { from, stepMs, to }: SteppedInterval,
  points: ReadonlyArray<A>,
  make: (time: number) => A
) => ({
  points: fillPoints({ from: Math.floor(from / stepMs) * stepMs, to, stepMs }, points, (_, time) => make(time)),
  gaps: []
})

const makeEmptyActivity = (time: number) => ({ time, mentions: 0, authors: 0, sentiment: null })
const social = makeFaultyAdapter(SocialFeed)
const outageIsGap = "an outage is a gap without buckets or posts, not a bucket of zero posts"

assertFaultsDetected(socialFeedContract, { now, coin: "DOGE", outage, backfill: waive("tested elsewhere") }, [
  [
    "zero posts during an outage",
    outageIsGap,
    social.change({ activity: ({ points }, query) => silence(query, points, makeEmptyActivity) })
  ],
  [
    "zero posts of all coins during an outage",
    outageIsGap,
    social.change({
      activityByCoin: (all, query) =>
        all.map(({ coin, points }) => ({ coin, ...silence(query, points, makeEmptyActivity) }))
    })
  ],
  [
    "old posts as of now",
    "posts are within the half-open interval, and a limit keeps the newest",
    social.setAsOf({ posts: now })
  ],
  [
    "accounts created after their posts",
    "posts are within the half-open interval, and a limit keeps the newest",
    social.change({
      posts: (all) => all.map((post) => ({ ...post, account: { ...post.account, createdAt: post.time + 1 } }))
    })
  ]
])

const dex = makeFaultyAdapter(OnchainFlows)

assertFaultsDetected(onchainFlowsContract, { now, coin: "UNI", outage }, [
  [
    "zero trades during an outage",
    "an outage is a gap, not a bucket without trades",
    dex.change({
      dexActivity: ({ coverage, points }, query) => ({
        ...silence(query, points, (time) => ({ time, buyUsd: 0, sellUsd: 0, trades: 0 })),
        coverage
      })
    })
  ],
  [
    "the same volume in five minutes as in an hour",
    "the volume of a bucket equals the sum of its parts",
    dex.change({
      dexActivity: ({ points, ...rest }) => ({
        ...rest,
        points: points.map((point) => ({ ...point, buyUsd: 1_000, sellUsd: 1_000 }))
      })
    })
  ]
])

const news = makeFaultyAdapter(NewsFeed)

assertFaultsDetected(newsFeedContract, { now, coin: "BTC", symbol: "AAPL" }, [
  [
    "old articles as of now",
    "articles are within the half-open interval, and a limit keeps the newest",
    news.setAsOf({ articles: now })
  ],
  ["no articles", "articles about a coin or symbol are all articles that name it", news.change({ articles: () => [] })]
])

const korea = makeFaultyAdapter(KoreanCoinMarkets)
const wholeKorea = makeFaultyAdapter(KoreanCoinMarkets, layerCompleteMarket)
const tickers = (make: typeof korea, change: (ticker: KrwTicker) => KrwTicker) =>
  make.change({ tickers: (all) => all.map(change) })
const krwHistory = (change: (point: KrwPoint) => KrwPoint) =>
  korea.change({ history: ({ gaps, points }) => ({ gaps, points: points.map(change) }) })
const open = "lists every open market once, each with its own time, largest volume first"
const legs = "history has every instant of the grid except in gaps, with prices that imply a premium"

assertFaultsDetected(
  koreanCoinMarketsContract,
  { now, coin: "XRP", unlisted: "DAI", outage, quoteless: "XRP", ...getRecentKrwListings(testWorld, now) },
  [
    [
      "prices that are repeated through an outage",
      "an outage is a gap without prices",
      korea.change({ history: ({ points }, query) => ({ points: fillPoints(query, points), gaps: [] }) })
    ],
    ["a USD/KRW rate of 1", legs, krwHistory((point) => ({ ...point, usdKrw: 1 }))],
    ["a negative USDT/KRW rate", legs, krwHistory((point) => ({ ...point, usdtKrw: -5 }))],
    [
      "a tiny foreign price instead of null",
      "a coin without a foreign quote has no USDT price",
      tickers(korea, (one) => ({ ...one, usdtPrice: one.usdtPrice ?? 1e-9 }))
    ],
    ["an implausible foreign price", open, tickers(korea, (one) => ({ ...one, usdtPrice: 1e-9 * one.krwPrice }))],
    ["a wrong 24-hour change", open, tickers(wholeKorea, (one) => ({ ...one, change24hPct: -7 }))],
    [
      "a 24-hour change of a market that is younger than a day",
      open,
      tickers(wholeKorea, (one) => ({ ...one, change24hPct: one.change24hPct ?? 0 }))
    ],
    [
      "history of another exchange than the main one",
      "history is from the exchange with the largest volume, unless an exchange is given",
      korea.replace((original) => ({ history: (query) => original.history({ exchange: "upbit", ...query }) }))
    ],
    [
      "an empty history of a coin without an open market",
      "history of a coin without an open market is from the exchange that traded the coin last",
      korea.change({
        history: (history, query) => query.exchange === undefined ? { ...history, points: [] } : history
      })
    ],
    [
      "an empty list of listings",
      "a recently opened market is among the listings and the tickers",
      korea.change({ listings: () => [] })
    ],
    [
      "an empty list of delistings",
      "a closed market is among the delistings, and no longer open",
      korea.change({ delistings: () => [] })
    ]
  ]
)

const rates = makeFaultyAdapter(ExchangeRates)

assertFaultsDetected(exchangeRatesContract, { now, outage }, [
  [
    "rates that are repeated through an outage without a gap",
    "an outage is a gap, in which the last rate before it is still returned",
    rates.change({ history: ({ points }, query) => ({ points: fillPoints(query, points), gaps: [] }) })
  ],
  [
    "a rate that was quoted in an outage",
    "an outage is a gap, in which the last rate before it is still returned",
    rates.change({ rate: (rate) => ({ ...rate, quotedAt: rate.time }) })
  ],
  [
    "an inverted rate",
    "the USDT/KRW rate equals the USD/KRW rate, apart from a premium",
    rates.change({ rate: (rate, query) => query.pair === "usd_krw" ? { ...rate, rate: 1 / rate.rate } : rate })
  ]
])

const tokens = makeFaultyAdapter(TokenMarkets)
const details = (change: (token: TokenDetails) => TokenDetails) => tokens.change({ token: change })
const tokenSearch = "a token is found by its ticker, and by the address that a search returns"
const flows = "stablecoins are sorted largest first, and an exchange flow that is not reported is null"

assertFaultsDetected(tokenMarketsContract, { now, coin: "ETH" }, [
  ["a token as of 1970", tokenSearch, tokens.setAsOf({ token: 0 })],
  ["a negative valuation", tokenSearch, details((token) => ({ ...token, fdvUsd: -1 }))],
  [
    "a valuation that does not follow from the price",
    tokenSearch,
    details((token) => ({ ...token, fdvUsd: 3 * (token.fdvUsd ?? 1) }))
  ],
  [
    "a circulating supply above the total supply",
    tokenSearch,
    details((token) => ({ ...token, circulatingSupply: 1e30 }))
  ],
  ["a total supply of zero", tokenSearch, details((token) => ({ ...token, totalSupply: 0 }))],
  ["negative liquidity", tokenSearch, details((token) => ({ ...token, liquidityUsd: -1 }))],
  [
    "no transfers",
    "transfers are within the half-open interval, at least 100,000 USD each, at most 1,000",
    tokens.change({ whaleTransfers: () => [] })
  ],
  [
    "a token that is found by its address on another chain",
    tokenSearch,
    tokens.replace((original) => ({
      token: (query) =>
        original.token("coin" in query ? query : { ...query, chain: "solana" }).pipe(
          Effect.catchTag("UnknownSymbol", () => original.token({ coin: "ETH" }))
        )
    }))
  ],
  [
    "small transfers among large ones",
    "transfers with a minimum size equal all transfers of at least that size",
    tokens.replace((original) => ({ whaleTransfers: ({ minUsd: _, ...query }) => original.whaleTransfers(query) }))
  ],
  [
    "a change larger than the supply",
    flows,
    tokens.change({ stablecoinFlows: (all) => all.map((flow) => ({ ...flow, changeUsd: 1e15 })) })
  ]
])
