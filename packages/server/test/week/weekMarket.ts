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
import { asOf, atMinute, mapValue } from "./reads.ts"
import { liquidationsAsHeard, liquidationsOnWire, type Listened } from "./weekLiquidations.ts"
import { newsAsFed, newsOnWire } from "./weekNews.ts"
import { postsAsHeard, postsOnWire } from "./weekPosts.ts"
import { volatilityOfIndex, volatilityOnWire } from "./weekVolatility.ts"
import { referenceRates, wonMarkets, wonOnWire } from "./weekWon.ts"

/** What of the simulated market its exchanges have. */
export interface WeekMarket {
  readonly seed: string
  readonly coins: ReadonlyArray<TrackedCoin>
  /** Coins that the exchange quotes beside those that are tracked: some won markets are of them. */
  readonly otherCoins: ReadonlyArray<string>
  /** Candles are told from then on: nobody recorded older ones. */
  readonly begin: number
  /** The same of perpetuals, and of what their takers did. */
  readonly derivativesBegin: number
  /** The same of markets against the won, and of what a USDT costs there. */
  readonly wonBegin: number
  /** The same of an index of implied volatility. */
  readonly volatilityBegin: number
  /** The same of articles. */
  readonly newsBegin: number
  /** The same of posts: nobody listened before. */
  readonly postsBegin: number
  /** When a stream of liquidations was listened to, as it is known at the end. */
  readonly listened: () => Listened
  /** The market's last instant. */
  readonly end: number
  /** Instants, ascending, at which exchanges were asked what they tell of the present alone, and so long after them. */
  readonly polled: ReadonlySet<number>
  readonly afterMs: number
}

/** Candles of some coins, from the beginning of the record on, and facts and tickers of those coins alone. */
const recordedPrices = (
  sim: CoinPrices["Service"],
  names: ReadonlyArray<string>,
  { begin, end }: WeekMarket
): CoinPrices["Service"] => {
  const known = new Set(names)
  const told = (candles: ReadonlyArray<Candle>) => candles.filter(({ time }) => time >= begin && time < end)
  const ofKnown = <A extends { readonly coin: string }>(all: ReadonlyArray<A>) =>
    all.filter(({ coin }) => known.has(coin))
  return CoinPrices.of({
    ...sim,
    coins: mapValue(sim.coins, ofKnown),
    candles: (query) => mapValue(sim.candles(query), told),
    candleRange: (query) => mapValue(sim.candleRange(query), told),
    candlesByCoin: (query) =>
      mapValue(sim.candlesByCoin(query), (all) => new Map(Array.from(all, ([coin, own]) => [coin, told(own)]))),
    tickers: mapValue(atMinute(sim.tickers), ofKnown),
    totalMarket: atMinute(sim.totalMarket)
  })
}

/** The whole market is counted every quarter of an hour, and told some seconds later. */
const quarterMs = 15 * minuteMs
const atQuarter = asOf((now) => Math.floor((now - 10_000) / quarterMs) * quarterMs)

/** Facts as they are tracked, and no price that is older than the record. */
const pricesOf = (sim: CoinPrices["Service"], market: WeekMarket): CoinPrices["Service"] => {
  const known = new Map(market.coins.map((coin) => [coin.coin, coin]))
  const prices = recordedPrices(sim, [...known.keys()], market)
  const factsOf = <A extends { readonly coin: string; readonly listedAt: number }>(facts: A) => ({
    ...facts,
    name: known.get(facts.coin)!.name,
    sector: known.get(facts.coin)!.sector,
    listedAt: Math.floor(facts.listedAt / minuteMs) * minuteMs
  })
  return CoinPrices.of({
    ...prices,
    coins: mapValue(prices.coins, (all) => all.map(factsOf)),
    coin: (coin) => mapValue(prices.coin(coin), factsOf),
    totalMarket: atQuarter(sim.totalMarket),
    priceAt: ({ coin, time }) =>
      time < market.begin
        ? Effect.fail(
          new NoData({ subject: `${coin} price`, reason: { key: "none_recorded", params: { symbol: coin } } })
        )
        : prices.priceAt({ coin, time })
  })
}

/**
 * One venue: its funding is the market's, and open interest is worth what it marks it. Of the past it tells open
 * interest and accounts alone.
 */
const derivativesOf = (
  sim: CoinDerivatives["Service"],
  { coins, derivativesBegin, polled }: WeekMarket
): CoinDerivatives["Service"] => {
  const known = new Set(coins.map(({ coin }) => coin))
  const kept = (point: PerpetualPoint): PerpetualPoint =>
    polled.has(point.time)
      ? { ...point, openInterestUsd: point.openInterest! * point.markPrice! }
      : { ...point, fundingRate: null, fundingIntervalHours: null, markPrice: null, indexPrice: null }
  const since = <A extends { readonly time: number }>(all: ReadonlyArray<A>) =>
    all.filter(({ time }) => time >= derivativesBegin)
  const before = ({ from, to }: Interval) =>
    from < derivativesBegin ? [{ from, to: Math.min(to, derivativesBegin) }] : []
  return CoinDerivatives.of({
    ...sim,
    perpetual: (coin) =>
      mapValue(sim.perpetual(coin), (point) => ({
        ...kept(point),
        fundingVenue: "binance",
        openInterestVenues: ["binance"]
      })),
    perpetuals: mapValue(
      sim.perpetuals,
      (all) => all.filter(({ coin }) => known.has(coin)).map((one) => ({ ...one, ...kept(one) }))
    ),
    perpetualHistory: (query) =>
      mapValue(sim.perpetualHistory(query), ({ points }) => ({ gaps: before(query), points: since(points).map(kept) })),
    takerFlow: (query) =>
      mapValue(sim.takerFlow(query), ({ points }) => ({ gaps: before(query), points: since(points) })),
    fundingByVenue: (coin) =>
      Effect.flatMap(
        sim.perpetual(coin),
        ({ value: { fundingIntervalHours, fundingRate, time } }) =>
          mapValue(sim.fundingByVenue(coin), (all) => {
            const own = all.find(({ venue }) => venue === "binance")
            return own === undefined || fundingRate === null || fundingIntervalHours === null
              ? []
              : [{ ...own, time, fundingRate, intervalHours: fundingIntervalHours }]
          })
      ),
    openInterestByVenue: (coin) =>
      mapValue(sim.perpetual(coin), ({ markPrice, openInterest, time }) =>
        openInterest === null || markPrice === null
          ? []
          : [{ venue: "binance", time, openInterest, openInterestUsd: openInterest * markPrice }])
  })
}

/** The ports of the simulated market: as who collects it knows it, and as exchanges have it. */
export const weekPorts = (market: WeekMarket) => {
  const sim = SimMarket.portsOf(makeWorld(market.seed))
  const rates = referenceRates(Context.get(sim, ExchangeRates))
  const won = Context.get(sim, KoreanCoinMarkets)
  const news = Context.get(sim, NewsFeed)
  const social = Context.get(sim, SocialFeed)
  const prices = Context.get(sim, CoinPrices)
  const volatilities = Context.get(sim, ImpliedVolatilities)
  const onExchange = derivativesOf(Context.get(sim, CoinDerivatives), market)
  const derivatives = {
    ...onExchange,
    liquidations: liquidationsAsHeard(onExchange.liquidations, market.end, market.listened)
  }
  const ports = sim.pipe(
    Context.add(CoinPrices, pricesOf(prices, market)),
    Context.add(CoinDerivatives, derivatives),
    Context.add(ExchangeRates, rates),
    Context.add(KoreanCoinMarkets, wonMarkets(won, rates, market)),
    Context.add(ImpliedVolatilities, volatilityOfIndex(volatilities, market)),
    Context.add(NewsFeed, newsAsFed(news, market)),
    Context.add(SocialFeed, postsAsHeard(social, market))
  )
  const quoted = [...market.coins.map(({ coin }) => coin), ...market.otherCoins]
  const onWire = sim.pipe(
    Context.add(CoinPrices, recordedPrices(prices, quoted, market)),
    Context.add(CoinDerivatives, {
      ...onExchange,
      liquidations: liquidationsOnWire(onExchange.liquidations, market.end)
    }),
    Context.add(KoreanCoinMarkets, wonOnWire(won, market)),
    Context.add(ImpliedVolatilities, volatilityOnWire(volatilities, market)),
    Context.add(NewsFeed, newsOnWire(news)),
    Context.add(SocialFeed, postsOnWire(social, market))
  )
  return { ports, onWire }
}
