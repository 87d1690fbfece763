/**
 * KRW markets of coins: the kimchi premium with its two legs, and new listings.
 *
 * Arbitrage of the premium is slow because of capital controls (Makarov & Schoar, "Trading and arbitrage in
 * cryptocurrency markets", JFE 2020). The premium reverts to its mean over days and widens in rising markets. The
 * premium divides exactly into two legs. The currency leg is USDT against the dollar. The asset leg is the price of a
 * coin relative to its USDT price. A new listing trades far above its USDT price for hours.
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
import { stationaryNoise } from "../kernel/noise.ts"
import { derive, type Key, normal, uniform } from "../kernel/random.ts"
import type { Whole } from "../kernel/whole.ts"
import type { ForeignExchange } from "./fx.ts"
import { krwExchanges, Rotation, type Turn } from "./Rotation.ts"

/** The share of world volume that trades in won: high for XRP and memes, lower for bitcoin. */
const koreanShare: Readonly<Record<string, number>> = { payments: 0.14, meme: 0.09, stablecoin: 0.004, layer1: 0.045 }
const volumeShare: Readonly<Record<KrwExchange, number>> = { upbit: 0.68, bithumb: 0.32 }

/** The Upbit tick for a price in won (table of 2023, shortened). */
const tickOf = (price: number): number => {
  for (const [from, tick] of [[2e6, 1000], [1e6, 500], [5e5, 100], [1e5, 50], [1e4, 10], [1e3, 1]] as const) {
    if (price >= from) return tick
  }
  return 10 ** (Math.floor(Math.log10(price)) - 3)
}

const toTick = (price: number): number => {
  const tick = tickOf(price)
  return tick >= 1 ? Math.round(price / tick) * tick : Math.round(price * Math.round(1 / tick)) / Math.round(1 / tick)
}

/** A market of the rotation, as known at `now`. A later close is not known. */
const listingOf = ({ coin, delistedAt, exchange, listedAt }: Turn, now: number): KrwListing => ({
  coin: coin.spec.coin,
  exchange,
  listedAt,
  delistedAt: delistedAt <= now ? delistedAt : null
})

export class Korea {
  readonly #key: (name: string) => Key
  readonly #fx: ForeignExchange
  readonly #markets: ReadonlyArray<CoinMarket>
  readonly #rotation: Rotation

  constructor(key: (name: string) => Key, fx: ForeignExchange, markets: ReadonlyArray<CoinMarket>) {
    this.#key = key
    this.#fx = fx
    this.#markets = markets
    this.#rotation = new Rotation(markets.filter((market) => !market.spec.krw && !market.spec.isStablecoin))
  }

  /** The listings with `from <= listedAt < to`, oldest first, as of `now`. */
  listings(from: number, to: number, now: number = to): ReadonlyArray<KrwListing> {
    return this.#rotation.opened(from, to).map((turn) => listingOf(turn, now))
  }

  /** The markets that closed with `from <= delistedAt < to`, by the time of their close. */
  delistings(from: number, to: number): ReadonlyArray<KrwListing> {
    return this.#rotation.closed(from, to).map((turn) => listingOf(turn, to))
  }

  /** The listing time of a coin on an exchange. Undefined unless the market is open at `time`. */
  listedAt(market: CoinMarket, exchange: KrwExchange, time: number): number | undefined {
    const { spec } = market
    if (spec.krw) {
      const delay =
        (20 + Math.floor(60 * uniform(this.#key(`krw listing ${spec.coin}`), exchange === "upbit" ? 0 : 1))) * dayMs
      const listedAt = market.listedAt + delay + 6 * hourMs
      return listedAt <= time ? listedAt : undefined
    }
    return this.#rotation.openAt(market, exchange, time)?.listedAt
  }

  /** The exchange with the largest volume of a coin at a time. Undefined if the coin has no open market. */
  mainExchange(market: CoinMarket, time: number): KrwExchange | undefined {
    const open = krwExchanges.flatMap((exchange) => {
      const listedAt = this.listedAt(market, exchange, time)
      return listedAt === undefined ? [] : [{ exchange, volume: this.#volumeUsd(market, exchange, listedAt, time) }]
    })
    return open.sort((a, b) => b.volume - a.volume)[0]?.exchange
  }

  /**
   * The premium of a new listing over the world price, as a fraction: a spike that halves within hours, and a tail of
   * days.
   */
  #listingPremium(market: CoinMarket, exchange: KrwExchange, listedAt: number, time: number): number {
    const ageMs = time - listedAt
    if (market.spec.krw || ageMs < 0 || ageMs > 21 * dayMs) return 0
    const key = derive(this.#key(`krw spike ${market.spec.coin} ${exchange}`), Math.floor(listedAt / hourMs), 0)
    const spike = 0.35 * Math.exp(0.6 * normal(key, 0))
    const tail = 0.04 * Math.exp(0.5 * normal(key, 1))
    const wobble = 1 + 0.25 * stationaryNoise(key, time, 5 * minuteMs, 6 * hourMs)
    return (spike * Math.exp(-ageMs / (5 * hourMs)) + tail * Math.exp(-ageMs / (4 * dayMs))) * Math.max(0.1, wobble)
  }

  #krwPrice(
    market: CoinMarket,
    exchange: KrwExchange,
    listedAt: number,
    time: number,
    usdtPrice: number,
    usdtKrw: number
  ): number {
    // USDT against won is the currency leg itself.
    if (market.spec.coin === "USDT") return usdtKrw
    const thin = Math.min(4, Math.sqrt(4e9 / market.spec.dailyVolumeUsd))
    const noise = stationaryNoise(this.#key(`krw premium ${market.spec.coin}`), time, 5 * minuteMs, 2 * dayMs)
    const local = stationaryNoise(
      this.#key(`krw premium ${market.spec.coin} ${exchange}`),
      time,
      5 * minuteMs,
      4 * hourMs
    )
    const above = (0.0016 * noise + 0.0005 * local) * Math.max(0.6, thin)
      + this.#listingPremium(market, exchange, listedAt, time)
    return toTick(usdtPrice * usdtKrw * (1 + above))
  }

  /** The components of the premium at a time. Undefined if the market is not open. */
  point(market: CoinMarket, exchange: KrwExchange, time: number): Whole<KrwPoint> | undefined {
    const listedAt = this.listedAt(market, exchange, time)
    if (listedAt === undefined) return undefined
    const usdKrw = this.#fx.usdKrw(time)
    const usdtKrw = this.#fx.usdtKrw(time)
    const usdtPrice = market.spec.coin === "USDT" ? 1 : market.price(time)
    return {
      time,
      krwPrice: this.#krwPrice(market, exchange, listedAt, time, usdtPrice, usdtKrw),
      usdtPrice,
      usdtKrw,
      usdKrw
    }
  }

  /** All open markets at a time, largest volume first. */
  tickers(time: number): ReadonlyArray<KrwTicker> {
    const tickers: Array<KrwTicker> = []
    for (const market of this.#markets) {
      for (const exchange of krwExchanges) {
        const listedAt = this.listedAt(market, exchange, time)
        const now = this.point(market, exchange, time)
        if (listedAt === undefined || now === undefined) continue
        const then = this.point(market, exchange, time - dayMs)
        tickers.push({
          time,
          coin: market.spec.coin,
          exchange,
          krwPrice: now.krwPrice,
          usdtPrice: now.usdtPrice,
          change24hPct: then === undefined ? null : 100 * (now.krwPrice / then.krwPrice - 1),
          volume24hKrw: Math.round(this.#volumeUsd(market, exchange, listedAt, time) * now.usdtKrw),
          listedAt
        })
      }
    }
    return tickers.sort((a, b) => b.volume24hKrw - a.volume24hKrw)
  }

  #volumeUsd(market: CoinMarket, exchange: KrwExchange, listedAt: number, time: number): number {
    const totals = market.totals(Math.max(listedAt, time - dayMs), time)
    const share = koreanShare[market.spec.sector] ?? 0.03
    const fresh = market.spec.krw ? 1 : 1 + 6 * Math.exp(-(time - listedAt) / (2 * dayMs))
    const noise = stationaryNoise(this.#key(`krw volume ${market.spec.coin} ${exchange}`), time, hourMs, 16 * dayMs)
    return (totals?.quoteVolume ?? 0) * share * volumeShare[exchange] * fresh * Math.exp(0.35 * noise)
  }
}
