/**
 * Simulates the perpetual and the dated futures of a coin. The funding rate follows price momentum, and the basis
 * follows the funding rate.
 */
import {
  type DatedFuture,
  dayMs,
  type FundingPayment,
  hourMs,
  minuteMs,
  type PerpetualPoint,
  type TakerFlow,
  type VenueFunding,
  type VenueOpenInterest
} from "@tapeline/core/market"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, drawNormal, type Key } from "../kernel/random.ts"
import type { CoinMarket } from "./CoinMarket.ts"
import { bucketMs, type Liquidations } from "./Liquidations.ts"
import { computeMomentum } from "./momentum.ts"

export const fundingIntervalMs = 8 * hourMs

/** The interest component of the funding rate: 0.01 % per eight hours, as on the large exchanges. */
const interestRate = 0.0001
const maxFundingRate = 0.003

/** The time in which the effect of liquidations on open interest decays to 37 %. */
const drainDecayMs = 12 * hourMs
const drainMemoryMs = 2 * dayMs
/**
 * The decrease of open interest in USD for each USD of liquidations. Stop orders close further positions, so the factor
 * is above 1.
 */
const stopLossFactor = 7

/** The venue that has exactly the funding rate of the simulated perpetual. */
export const mainVenue = "binance"

/**
 * The trading venues of the perpetual. `spread` is the typical deviation of a venue's funding rate, and `share` is the
 * venue's share of open interest.
 */
const venues = [
  { venue: mainVenue, intervalHours: 8, spread: 0, share: 0.43 },
  { venue: "bybit", intervalHours: 8, spread: 0.00002, share: 0.27 },
  { venue: "hyperliquid", intervalHours: 1, spread: 0.00005, share: 0.11 },
  { venue: "okx", intervalHours: 8, spread: 0.00003, share: 0.19 }
]

export const venueNames: ReadonlyArray<string> = venues.map(({ venue }) => venue)

const perpetualTurnoverRatio = 2.6

const coinsWithFutures: ReadonlySet<string> = new Set(["BTC", "ETH", "SOL", "XRP"])

const round = (x: number, digits: number): number => Math.round(x * 10 ** digits) / 10 ** digits

type CompletePoint = { readonly [K in keyof PerpetualPoint]: NonNullable<PerpetualPoint[K]> }

export class Derivatives {
  readonly #key: (name: string) => Key
  readonly #liquidations: Liquidations

  constructor(key: (name: string) => Key, liquidations: Liquidations) {
    this.#key = key
    this.#liquidations = liquidations
  }

  #noise(name: string, market: CoinMarket, time: number, shortestMs: number, longestMs: number): number {
    return stationaryNoise(this.#key(`${name} ${market.spec.coin}`), time, shortestMs, longestMs)
  }

  /** Returns the funding rate that would settle at `time`, as a fraction of notional per eight hours. */
  fundingRate(market: CoinMarket, time: number): number {
    const slow = computeMomentum(market, time, 3 * dayMs, 1.6)
    const fast = computeMomentum(market, time, fundingIntervalMs, 1.6)
    const noise = this.#noise("funding", market, time, 30 * minuteMs, 4 * dayMs)
    const relativeVolatility = market.spec.dailySd / 0.03
    const rate = interestRate + relativeVolatility * (0.00022 * slow + 0.00012 * fast) + 0.00006 * noise
    return round(Math.max(-maxFundingRate, Math.min(maxFundingRate, rate)), 8)
  }

  /** Returns the open interest in coins at a multiple of five minutes. */
  openInterest(market: CoinMarket, time: number): number {
    const reference = this.#liquidations.referenceOpenInterestUsd(market)
    let drainedOpenInterest = 0
    const hour = Math.floor(time / hourMs) * hourMs
    for (let at = Math.max(market.listedAt, hour - drainMemoryMs); at < hour; at += hourMs) {
      // All liquidations of an hour count as if they occurred in the middle of the hour.
      drainedOpenInterest += this.#liquidations.hourUsd(market, at) * Math.exp(-(time - at - hourMs / 2) / drainDecayMs)
    }
    for (let at = Math.max(market.listedAt, hour); at < time; at += bucketMs) {
      drainedOpenInterest += this.#liquidations.bucketUsd(market, at) *
        Math.exp(-(time - at - bucketMs / 2) / drainDecayMs)
    }
    drainedOpenInterest *= stopLossFactor / reference
    // Open interest follows a price trend with a delay of half a day.
    const momentumTime = Math.max(market.listedAt, time - drainDecayMs)
    const trendStrength = Math.abs(computeMomentum(market, momentumTime, 3 * dayMs, 1.5)) +
      Math.abs(computeMomentum(market, momentumTime, 10 * dayMs, 1.5))
    const noise = this.#noise("open interest", market, time, 15 * minuteMs, 64 * dayMs)
    const coins = reference / market.spec.price
      * Math.exp(0.2 * noise + 0.16 * trendStrength - 0.7 * Math.tanh(drainedOpenInterest / 0.7))
    return Number(coins.toPrecision(9))
  }

  point(market: CoinMarket, time: number): CompletePoint {
    const fundingRate = this.fundingRate(market, time)
    const indexPrice = market.price(time)
    const premium = 1.5 * (fundingRate - interestRate / 2) +
      0.00008 * this.#noise("basis", market, time, 5 * minuteMs, 8 * hourMs)
    const markPrice = round(indexPrice * (1 + premium), market.decimals)
    const openInterest = this.openInterest(market, time)
    const longShortTilt = 0.2 - 0.3 * computeMomentum(market, time, dayMs, 1.5)
      + 0.18 * this.#noise("crowd", market, time, 10 * minuteMs, 16 * dayMs)
    return {
      time,
      fundingRate,
      fundingIntervalHours: fundingIntervalMs / hourMs,
      openInterest,
      openInterestUsd: round(openInterest * markPrice, 2),
      longShortRatio: round(Math.exp(longShortTilt), 4),
      markPrice,
      indexPrice
    }
  }

  /** Returns the volumes in USD that takers of the perpetual bought and sold within `[from, to)`. */
  takerFlow(market: CoinMarket, from: number, to: number): Omit<TakerFlow, "time"> {
    let buy = 0
    let sell = 0
    for (let time = from; time < to; time += bucketMs) {
      const totals = market.totals(time, Math.min(to, time + bucketMs))
      if (totals === undefined || totals.volume === 0) continue
      const turnover = totals.quoteVolume * perpetualTurnoverRatio
      const buyShare = totals.takerBuyVolume / totals.volume
      // Amounts in whole cents add up without rounding errors.
      buy += Math.round(100 * turnover * buyShare)
      sell += Math.round(100 * turnover * (1 - buyShare))
    }
    return { buyUsd: buy / 100, sellUsd: sell / 100 }
  }

  /** Returns the funding payments with `from <= time < to`. */
  fundingPayments(market: CoinMarket, from: number, to: number): ReadonlyArray<FundingPayment> {
    const prints: Array<FundingPayment> = []
    for (let at = Math.ceil(from / fundingIntervalMs) * fundingIntervalMs; at < to; at += fundingIntervalMs) {
      if (at <= market.listedAt) continue
      prints.push({
        time: at,
        fundingRate: this.fundingRate(market, at),
        intervalHours: fundingIntervalMs / hourMs
      })
    }
    return prints
  }

  /** Returns the open interest of each venue. The sum over all venues is exactly the coin's open interest. */
  openInterestByVenue(market: CoinMarket, time: number): ReadonlyArray<VenueOpenInterest> {
    const { markPrice, openInterest } = this.point(market, time)
    const unnormalisedShares = venues.map(({ share, venue }) =>
      share * Math.exp(0.08 * this.#noise(`open interest ${venue}`, market, time, hourMs, 32 * dayMs))
    )
    const sum = unnormalisedShares.reduce((total, share) => total + share, 0)
    let remaining = openInterest
    return venues.map(({ venue }, i) => {
      const venueOpenInterest = i === venues.length - 1
        ? remaining
        : Number((openInterest * unnormalisedShares[i]! / sum).toPrecision(9))
      remaining -= venueOpenInterest
      return { venue, time, openInterest: venueOpenInterest, openInterestUsd: round(venueOpenInterest * markPrice, 2) }
    })
  }

  fundingByVenue(market: CoinMarket, time: number): ReadonlyArray<VenueFunding> {
    const rate = this.fundingRate(market, time)
    return venues.map(({ venue, intervalHours, spread }) => {
      const noise = spread * this.#noise(`funding ${venue}`, market, time, hourMs, 4 * dayMs)
      const interval = intervalHours * hourMs
      return {
        venue,
        time,
        fundingRate: round((rate + noise) * intervalHours / 8, 8),
        intervalHours,
        nextFundingAt: (Math.floor(time / interval) + 1) * interval
      }
    })
  }

  /** Returns the dated futures of a coin, which expire at 08:00 UTC on the last Friday of a month. */
  futures(market: CoinMarket, time: number): ReadonlyArray<DatedFuture> {
    if (!coinsWithFutures.has(market.spec.coin)) return []
    const indexPrice = market.price(time)
    const fundingExcess = this.fundingRate(market, time) - interestRate
    return getFutureExpiries(time).map((expiryAt, i) => {
      const years = (expiryAt - time) / (365 * dayMs)
      // Cash-and-carry arbitrage ties the annual basis to funding, with less effect on futures with a far expiry.
      const instrumentNoise = 0.004 *
        drawNormal(deriveKey(this.#key(`future ${market.spec.coin}`), Math.floor(time / hourMs), i), 0)
      const annualBasis = 0.055 + 420 * fundingExcess / (1 + 2 * years) + instrumentNoise
      return {
        instrument: `${market.spec.coin}-${formatInstrumentDate(expiryAt)}`,
        time,
        expiryAt,
        price: round(indexPrice * (1 + annualBasis * years), market.decimals),
        indexPrice
      }
    })
  }
}

/** Returns 08:00 UTC on the last Friday of a month, where `month` is zero-based and may be greater than 11. */
export const getLastFriday = (year: number, month: number): number => {
  const end = new Date(Date.UTC(year, month + 1, 0))
  return end.getTime() - ((end.getUTCDay() + 2) % 7) * dayMs + 8 * hourMs
}

/** Returns the expiries of futures: the next two month ends and the next three quarter ends, without duplicates. */
export const getFutureExpiries = (time: number): ReadonlyArray<number> => {
  const now = new Date(time)
  const expiries: Array<number> = []
  let quarters = 0
  for (let month = now.getUTCMonth(); quarters < 3; month++) {
    const expiry = getLastFriday(now.getUTCFullYear(), month)
    if (expiry <= time) continue
    const isQuarter = month % 3 === 2
    if (expiries.length >= 2 && !isQuarter) continue
    if (isQuarter) quarters++
    expiries.push(expiry)
  }
  return expiries
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

/** Formats the expiry date for the name of an instrument, such as `27NOV26`. */
export const formatInstrumentDate = (time: number): string => {
  const date = new Date(time)
  return `${date.getUTCDate()}${months[date.getUTCMonth()]!}${String(date.getUTCFullYear()).slice(2)}`
}
