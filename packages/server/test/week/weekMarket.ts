import {
  type Candle,
  CoinDerivatives,
  CoinPrices,
  type Interval,
  type MarketRead,
  minuteMs,
  type PerpetualPoint,
  type Reading,
  SourceUnavailable,
  type Ticker
} from "@tapeline/core/market"
import type { TrackedCoin } from "@tapeline/market-live"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { Context, Effect } from "effect"

/** What of the simulated market its exchange has. */
export interface WeekMarket {
  readonly seed: string
  readonly coins: ReadonlyArray<TrackedCoin>
  /** Candles are told from then on: nobody recorded older ones. */
  readonly begin: number
  /** The same of perpetuals, and of what their takers did. */
  readonly derivativesBegin: number
  /** The market's last instant. */
  readonly end: number
  /** Instants at which the exchange was asked what it tells of the present alone. */
  readonly polled: ReadonlySet<number>
}

const mapValue = <A, B>(read: MarketRead<A>, change: (value: A) => B): MarketRead<B> =>
  Effect.map(read, (found): Reading<B> => ({ ...found, value: change(found.value) }))

/** Nobody here tells how large a coin, or the whole market, is. */
const sizeless = (ticker: Ticker): Ticker => ({ ...ticker, marketCapUsd: null })

const pricesOf = (sim: CoinPrices["Service"], { begin, coins, end }: WeekMarket): CoinPrices["Service"] => {
  const known = new Map(coins.map((coin) => [coin.coin, coin]))
  const told = (candles: ReadonlyArray<Candle>) => candles.filter(({ time }) => time >= begin && time < end)
  const factsOf = <A extends { readonly coin: string; readonly listedAt: number }>(facts: A) => ({
    ...facts,
    name: known.get(facts.coin)!.name,
    sector: known.get(facts.coin)!.sector,
    circulatingSupply: null,
    maxSupply: null,
    listedAt: Math.floor(facts.listedAt / minuteMs) * minuteMs
  })
  const byName = <A extends { readonly coin: string }>(all: ReadonlyArray<A>) =>
    all.filter(({ coin }) => known.has(coin)).sort((a, b) => a.coin < b.coin ? -1 : 1)
  return CoinPrices.of({
    ...sim,
    coins: mapValue(sim.coins, (all) => byName(all).map(factsOf)),
    coin: (coin) => mapValue(sim.coin(coin), factsOf),
    candles: (query) => mapValue(sim.candles(query), told),
    candleRange: (query) => mapValue(sim.candleRange(query), told),
    candlesByCoin: (query) =>
      mapValue(sim.candlesByCoin(query), (all) => new Map(Array.from(all, ([coin, own]) => [coin, told(own)]))),
    ticker: (coin) => mapValue(sim.ticker(coin), sizeless),
    tickers: mapValue(sim.tickers, (all) => byName(all).map(sizeless)),
    totalMarket: Effect.fail(
      new SourceUnavailable({
        source: "coinpaprika",
        failure: "unreachable",
        reason: "nothing of the last hour is recorded of the whole market",
        retryable: true
      })
    )
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
    perpetual: (coin) => mapValue(sim.perpetual(coin), kept),
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

/** The ports of the simulated market as one exchange has it. */
export const weekPorts = (market: WeekMarket) => {
  const sim = SimMarket.portsOf(makeWorld(market.seed))
  return sim.pipe(
    Context.add(CoinPrices, pricesOf(Context.get(sim, CoinPrices), market)),
    Context.add(CoinDerivatives, derivativesOf(Context.get(sim, CoinDerivatives), market))
  )
}
