/**
 * Simulates KRW markets of coins, with new listings and the Korean price premium (kimchi premium). Capital controls
 * prevent traders from removing the premium by arbitrage (Makarov & Schoar, "Trading and arbitrage in cryptocurrency
 * markets", JFE 2020). The premium has two components. The currency component is the premium of USDT over the US dollar
 * in Korea. The asset component is the premium of a coin's KRW price over the coin's USDT price.
 */
import {
  dayMs,
  hourMs,
  type KrwExchange,
  type KrwListing,
  type KrwPoint,
  type KrwTicker,
  minuteMs
} from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import type { Complete } from "../kernel/complete.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, drawNormal, drawUniform, type Key } from "../kernel/random.ts"
import type { ForeignExchange } from "./exchangeRate.ts"
import { krwExchanges, type KrwListingPeriod, Rotation } from "./listingRotation.ts"

/** The fraction of worldwide volume that is traded in won, by sector, which is high for payment coins and memes. */
const koreanShareBySector: Readonly<Record<string, number>> = {
  payments: 0.14,
  meme: 0.09,
  stablecoin: 0.004,
  layer1: 0.045
}
const volumeShareByExchange: Readonly<Record<KrwExchange, number>> = { upbit: 0.68, bithumb: 0.32 }

/** Returns the Upbit tick size for a price in won, from a shortened table of 2023. */
const getTick = (price: number): number => {
  for (const [from, tick] of [[2e6, 1000], [1e6, 500], [5e5, 100], [1e5, 50], [1e4, 10], [1e3, 1]] as const) {
    if (price >= from) return tick
  }
  return 10 ** (Math.floor(Math.log10(price)) - 3)
}

const roundToTick = (price: number): number => {
  const tick = getTick(price)
  return tick >= 1 ? Math.round(price / tick) * tick : Math.round(price * Math.round(1 / tick)) / Math.round(1 / tick)
}

/** Creates a KRW listing as it is known at `knownAt`. `delistedAt` is null if the market is still open at `knownAt`. */
const makeListing = ({ coin, delistedAt, exchange, listedAt }: KrwListingPeriod, knownAt: number): KrwListing => ({
  coin: coin.spec.coin,
  exchange,
  listedAt,
  delistedAt: delistedAt <= knownAt ? delistedAt : null
})

export class Korea {
  readonly #key: (name: string) => Key
  readonly #exchangeRate: ForeignExchange
  readonly #markets: ReadonlyArray<CoinMarket>
  readonly #rotation: Rotation

  constructor(key: (name: string) => Key, exchangeRate: ForeignExchange, markets: ReadonlyArray<CoinMarket>) {
    this.#key = key
    this.#exchangeRate = exchangeRate
    this.#markets = markets
    this.#rotation = new Rotation(
      markets.filter((market) => !market.spec.isLongListedInKorea && !market.spec.isStablecoin)
    )
  }

  /** Returns the listings with `from <= listedAt < to`, oldest first. Delistings after `knownAt` are omitted. */
  getListings(from: number, to: number, knownAt: number = to): ReadonlyArray<KrwListing> {
    return this.#rotation.getOpened(from, to).map((turn) => makeListing(turn, knownAt))
  }

  getDelistings(from: number, to: number): ReadonlyArray<KrwListing> {
    return this.#rotation.getClosed(from, to).map((turn) => makeListing(turn, to))
  }

  /** Returns the listing time of a coin on an exchange, or undefined if the market is not open at `time`. */
  getListingTime(market: CoinMarket, exchange: KrwExchange, time: number): number | undefined {
    const { spec } = market
    if (spec.isLongListedInKorea) {
      const delay =
        (20 + Math.floor(60 * drawUniform(this.#key(`krw listing ${spec.coin}`), exchange === "upbit" ? 0 : 1))) * dayMs
      const listedAt = market.listedAt + delay + 6 * hourMs
      return listedAt <= time ? listedAt : undefined
    }
    return this.#rotation.findOpen(market, exchange, time)?.listedAt
  }

  /**
   * Returns the exchange with the largest volume of a coin at a time. If no exchange trades the coin, returns the
   * exchange that traded it last, or undefined if there is none.
   */
  getMainExchange(market: CoinMarket, time: number): KrwExchange | undefined {
    const openMarkets = krwExchanges.flatMap((exchange) => {
      const listedAt = this.getListingTime(market, exchange, time)
      return listedAt === undefined
        ? []
        : [{ exchange, volume: this.#computeVolumeUsd(market, exchange, listedAt, time) }]
    })
    return openMarkets.sort((a, b) => b.volume - a.volume)[0]?.exchange ??
      this.#rotation.findLatest(market, time)?.exchange
  }

  /**
   * Returns the premium of a new listing over the world price, as a fraction. The premium decays over hours and days.
   */
  #computeListingPremium(market: CoinMarket, exchange: KrwExchange, listedAt: number, time: number): number {
    const ageMs = time - listedAt
    if (market.spec.isLongListedInKorea || ageMs < 0 || ageMs > 21 * dayMs) return 0
    const key = deriveKey(this.#key(`krw spike ${market.spec.coin} ${exchange}`), Math.floor(listedAt / hourMs), 0)
    const initialPremium = 0.35 * Math.exp(0.6 * drawNormal(key, 0))
    const lastingPremium = 0.04 * Math.exp(0.5 * drawNormal(key, 1))
    const premiumNoise = 1 + 0.25 * stationaryNoise(key, time, 5 * minuteMs, 6 * hourMs)
    return (initialPremium * Math.exp(-ageMs / (5 * hourMs)) + lastingPremium * Math.exp(-ageMs / (4 * dayMs))) *
      Math.max(0.1, premiumNoise)
  }

  #computeKrwPrice(
    market: CoinMarket,
    exchange: KrwExchange,
    listedAt: number,
    time: number,
    usdtPrice: number,
    usdtKrw: number
  ): number {
    // The KRW price of USDT is the currency component of the premium.
    if (market.spec.coin === "USDT") return usdtKrw
    const illiquidityFactor = Math.min(4, Math.sqrt(4e9 / market.spec.dailyVolumeUsd))
    const noise = stationaryNoise(this.#key(`krw premium ${market.spec.coin}`), time, 5 * minuteMs, 2 * dayMs)
    const exchangeNoise = stationaryNoise(
      this.#key(`krw premium ${market.spec.coin} ${exchange}`),
      time,
      5 * minuteMs,
      4 * hourMs
    )
    const premium = (0.0016 * noise + 0.0005 * exchangeNoise) * Math.max(0.6, illiquidityFactor)
      + this.#computeListingPremium(market, exchange, listedAt, time)
    return roundToTick(usdtPrice * usdtKrw * (1 + premium))
  }

  /**
   * Returns a coin's prices in KRW and in USDT, and the exchange rates. Returns undefined if the market is not open at
   * `time`.
   */
  getPoint(market: CoinMarket, exchange: KrwExchange, time: number): Complete<KrwPoint> | undefined {
    const listedAt = this.getListingTime(market, exchange, time)
    if (listedAt === undefined) return undefined
    const usdKrw = this.#exchangeRate.getUsdKrw(time)
    const usdtKrw = this.#exchangeRate.getUsdtKrw(time)
    const usdtPrice = market.spec.coin === "USDT" ? 1 : market.price(time)
    return {
      time,
      krwPrice: this.#computeKrwPrice(market, exchange, listedAt, time, usdtPrice, usdtKrw),
      usdtPrice,
      usdtKrw,
      usdKrw
    }
  }

  /** Returns the tickers of all open markets at a time, largest volume first. */
  getTickers(time: number): ReadonlyArray<KrwTicker> {
    const tickers: Array<KrwTicker> = []
    for (const market of this.#markets) {
      for (const exchange of krwExchanges) {
        const listedAt = this.getListingTime(market, exchange, time)
        const currentPoint = this.getPoint(market, exchange, time)
        if (listedAt === undefined || currentPoint === undefined) continue
        const dayAgoPoint = this.getPoint(market, exchange, time - dayMs)
        tickers.push({
          time,
          coin: market.spec.coin,
          exchange,
          krwPrice: currentPoint.krwPrice,
          usdtPrice: currentPoint.usdtPrice,
          change24hPct: dayAgoPoint === undefined ? null : 100 * (currentPoint.krwPrice / dayAgoPoint.krwPrice - 1),
          volume24hKrw: Math.round(this.#computeVolumeUsd(market, exchange, listedAt, time) * currentPoint.usdtKrw),
          listedAt
        })
      }
    }
    return tickers.sort((a, b) => b.volume24hKrw - a.volume24hKrw)
  }

  #computeVolumeUsd(market: CoinMarket, exchange: KrwExchange, listedAt: number, time: number): number {
    const totals = market.totals(Math.max(listedAt, time - dayMs), time)
    const share = koreanShareBySector[market.spec.sector] ?? 0.03
    const newListingFactor = market.spec.isLongListedInKorea ? 1 : 1 + 6 * Math.exp(-(time - listedAt) / (2 * dayMs))
    const noise = stationaryNoise(this.#key(`krw volume ${market.spec.coin} ${exchange}`), time, hourMs, 16 * dayMs)
    return (totals?.quoteVolume ?? 0) * share * volumeShareByExchange[exchange] * newListingFactor *
      Math.exp(0.35 * noise)
  }
}
