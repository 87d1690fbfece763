import {
  type Candle,
  CoinDerivatives,
  CoinPrices,
  ExchangeRates,
  ImpliedVolatilities,
  type Interval,
  KoreanCoinMarkets,
  minuteMs,
  NewsFeed,
  NoData,
  type PerpetualPoint,
  SocialFeed
} from "@tapeline/core/market"
import type { TrackedCoin } from "@tapeline/market-live"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { Context, Effect } from "effect"
import { mapValue, readAt, readAtMinute } from "./shiftedClock.ts"
import { type ListeningPeriods, recordedLiquidations, servedLiquidations } from "./weekLiquidations.ts"
import { recordedNews, servedNews } from "./weekNews.ts"
import { recordedPosts, servedPosts } from "./weekPosts.ts"
import { recordedVolatility, servedVolatility } from "./weekVolatility.ts"
import { makeReferenceRates, recordedKrwMarkets, servedKrwMarkets } from "./weekWon.ts"

export interface WeekMarket {
  readonly seed: string
  readonly coins: ReadonlyArray<TrackedCoin>
  /** Coins that the exchange lists in addition to the tracked coins. Some of the additional coins have won markets. */
  readonly otherCoins: ReadonlyArray<string>
  /** The start of the recorded candles. */
  readonly begin: number
  /** The start of the recorded perpetuals and taker flow. */
  readonly derivativesBegin: number
  /** The start of the recorded won markets, and of the recorded price of USDT in won. */
  readonly krwBegin: number
  /** The start of the recorded volatility index. */
  readonly volatilityBegin: number
  readonly newsBegin: number
  readonly postsBegin: number
  /**
   * Returns the intervals in which a stream of liquidations was received, which are known only at the end of the week.
   */
  readonly listeningPeriods: () => ListeningPeriods
  readonly end: number
  /**
   * The times at which exchanges were requested for data that they publish only for the current time, in ascending
   * order.
   */
  readonly polled: ReadonlySet<number>
  readonly pollDelayMs: number
}

const recordedPrices = (
  sim: CoinPrices["Service"],
  names: ReadonlyArray<string>,
  { begin, end }: WeekMarket
): CoinPrices["Service"] => {
  const knownNames = new Set(names)
  const selectRecorded = (candles: ReadonlyArray<Candle>) => candles.filter(({ time }) => time >= begin && time < end)
  const ofKnown = <A extends { readonly coin: string }>(all: ReadonlyArray<A>) =>
    all.filter(({ coin }) => knownNames.has(coin))
  return CoinPrices.of({
    ...sim,
    coins: mapValue(sim.coins, ofKnown),
    candles: (query) => mapValue(sim.candles(query), selectRecorded),
    candleRange: (query) => mapValue(sim.candleRange(query), selectRecorded),
    candlesByCoin: (query) =>
      mapValue(
        sim.candlesByCoin(query),
        (all) => new Map(Array.from(all, ([coin, candles]) => [coin, selectRecorded(candles)]))
      ),
    tickers: mapValue(readAtMinute(sim.tickers), ofKnown),
    totalMarket: readAtMinute(sim.totalMarket)
  })
}

/** The market capitalisation of all coins changes every quarter of an hour, and is published some seconds later. */
const quarterMs = 15 * minuteMs
const readAtQuarter = readAt((now) => Math.floor((now - 10_000) / quarterMs) * quarterMs)

/** Returns prices with the facts of the tracked coins, without prices from before the start of recording. */
const recordedPricesWithFacts = (sim: CoinPrices["Service"], market: WeekMarket): CoinPrices["Service"] => {
  const coinsByName = new Map(market.coins.map((coin) => [coin.coin, coin]))
  const prices = recordedPrices(sim, [...coinsByName.keys()], market)
  const factsOf = <A extends { readonly coin: string; readonly listedAt: number }>(facts: A) => ({
    ...facts,
    name: coinsByName.get(facts.coin)!.name,
    sector: coinsByName.get(facts.coin)!.sector,
    listedAt: Math.floor(facts.listedAt / minuteMs) * minuteMs
  })
  return CoinPrices.of({
    ...prices,
    coins: mapValue(prices.coins, (all) => all.map(factsOf)),
    coin: (coin) => mapValue(prices.coin(coin), factsOf),
    totalMarket: readAtQuarter(sim.totalMarket),
    priceAt: ({ coin, time }) =>
      time < market.begin
        ? Effect.fail(
          new NoData({ subject: `${coin} price`, reason: { key: "none_recorded", params: { symbol: coin } } })
        )
        : prices.priceAt({ coin, time })
  })
}

/** Returns the derivatives of one venue, for which only open interest and account ratios of past times exist. */
const recordedDerivatives = (
  sim: CoinDerivatives["Service"],
  { coins, derivativesBegin, polled }: WeekMarket
): CoinDerivatives["Service"] => {
  const knownNames = new Set(coins.map(({ coin }) => coin))
  const recordedPoint = (point: PerpetualPoint): PerpetualPoint =>
    polled.has(point.time)
      ? { ...point, openInterestUsd: point.openInterest! * point.markPrice! }
      : { ...point, fundingRate: null, fundingIntervalHours: null, markPrice: null, indexPrice: null }
  const recordedSince = <A extends { readonly time: number }>(all: ReadonlyArray<A>) =>
    all.filter(({ time }) => time >= derivativesBegin)
  const gapBefore = ({ from, to }: Interval) =>
    from < derivativesBegin ? [{ from, to: Math.min(to, derivativesBegin) }] : []
  return CoinDerivatives.of({
    ...sim,
    perpetual: (coin) =>
      mapValue(sim.perpetual(coin), (point) => ({
        ...recordedPoint(point),
        fundingVenue: "binance",
        openInterestVenues: ["binance"]
      })),
    perpetuals: mapValue(
      sim.perpetuals,
      (all) => all.filter(({ coin }) => knownNames.has(coin)).map((one) => ({ ...one, ...recordedPoint(one) }))
    ),
    perpetualHistory: (query) =>
      mapValue(
        sim.perpetualHistory(query),
        ({ points }) => ({ gaps: gapBefore(query), points: recordedSince(points).map(recordedPoint) })
      ),
    takerFlow: (query) =>
      mapValue(sim.takerFlow(query), ({ points }) => ({ gaps: gapBefore(query), points: recordedSince(points) })),
    fundingByVenue: (coin) =>
      Effect.flatMap(
        sim.perpetual(coin),
        ({ value: { fundingIntervalHours, fundingRate, time } }) =>
          mapValue(sim.fundingByVenue(coin), (all) => {
            const binanceRow = all.find(({ venue }) => venue === "binance")
            return binanceRow === undefined || fundingRate === null || fundingIntervalHours === null
              ? []
              : [{ ...binanceRow, time, fundingRate, intervalHours: fundingIntervalHours }]
          })
      ),
    openInterestByVenue: (coin) =>
      mapValue(sim.perpetual(coin), ({ markPrice, openInterest, time }) =>
        openInterest === null || markPrice === null
          ? []
          : [{ venue: "binance", time, openInterest, openInterestUsd: openInterest * markPrice }])
  })
}

/**
 * Returns the ports of the simulated market in two forms: as a collecting process records them, and as the exchanges
 * serve them.
 */
export const makeWeekPorts = (market: WeekMarket) => {
  const sim = SimMarket.makePorts(makeWorld(market.seed))
  const rates = makeReferenceRates(Context.get(sim, ExchangeRates))
  const krwMarkets = Context.get(sim, KoreanCoinMarkets)
  const news = Context.get(sim, NewsFeed)
  const social = Context.get(sim, SocialFeed)
  const prices = Context.get(sim, CoinPrices)
  const volatilities = Context.get(sim, ImpliedVolatilities)
  const exchangeDerivatives = recordedDerivatives(Context.get(sim, CoinDerivatives), market)
  const derivatives = {
    ...exchangeDerivatives,
    liquidations: recordedLiquidations(exchangeDerivatives.liquidations, market.end, market.listeningPeriods)
  }
  const ports = sim.pipe(
    Context.add(CoinPrices, recordedPricesWithFacts(prices, market)),
    Context.add(CoinDerivatives, derivatives),
    Context.add(ExchangeRates, rates),
    Context.add(KoreanCoinMarkets, recordedKrwMarkets(krwMarkets, rates, market)),
    Context.add(ImpliedVolatilities, recordedVolatility(volatilities, market)),
    Context.add(NewsFeed, recordedNews(news, market)),
    Context.add(SocialFeed, recordedPosts(social, market))
  )
  const quoted = [...market.coins.map(({ coin }) => coin), ...market.otherCoins]
  const servedPorts = sim.pipe(
    Context.add(CoinPrices, recordedPrices(prices, quoted, market)),
    Context.add(CoinDerivatives, {
      ...exchangeDerivatives,
      liquidations: servedLiquidations(exchangeDerivatives.liquidations, market.end)
    }),
    Context.add(KoreanCoinMarkets, servedKrwMarkets(krwMarkets, market)),
    Context.add(ImpliedVolatilities, servedVolatility(volatilities, market)),
    Context.add(NewsFeed, servedNews(news)),
    Context.add(SocialFeed, servedPosts(social, market))
  )
  return { ports, onWire: servedPorts }
}
