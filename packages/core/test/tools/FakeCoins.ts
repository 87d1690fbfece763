/**
 * Eight coins whose prices are a pure function of time: sums of waves with a little noise. `alteredFrom` changes all
 * later prices, so that a test can detect reads of future data.
 */
import {
  type Candle,
  type Coin,
  dayMs,
  durationMs,
  hourMs,
  type Interval,
  mergeCandles,
  minuteMs,
  type PerpetualPoint,
  type Ticker,
  type Timeframe
} from "@tapeline/core"

/** A Friday, so that exchange rates are current. */
export const now = Date.UTC(2026, 5, 19, 10, 24, 30)

export const defaultListedAt = Date.UTC(2024, 0, 1)
const makeCoin = (coin: string, circulatingSupply: number, listedAt = defaultListedAt, isStablecoin = false): Coin => ({
  coin,
  name: coin === "BTC" ? "Bitcoin" : coin,
  sector: isStablecoin ? "stablecoin" : "layer1",
  circulatingSupply,
  maxSupply: null,
  listedAt,
  delistedAt: null,
  isStablecoin
})

export const coins: ReadonlyArray<Coin> = [
  makeCoin("BTC", 2e7),
  makeCoin("ETH", 1.2e8),
  makeCoin("USDT", 1e11, defaultListedAt, true),
  makeCoin("SOL", 5e8),
  makeCoin("XRP", 5e10),
  makeCoin("DOGE", 1e11),
  makeCoin("ADA", 3e10),
  // The coin was listed 30 hours ago, which is enough data for only a few factors.
  makeCoin("BABY", 1e8, now - 30 * hourMs)
]

const basePrices: Readonly<Record<string, number>> = {
  BTC: 60_000,
  ETH: 3_000,
  USDT: 1,
  SOL: 150,
  XRP: 0.6,
  DOGE: 0.12,
  ADA: 0.4,
  BABY: 2
}

/** Returns a uniform number in [0, 1) from two integers. */
const hashToUnit = (a: number, b: number): number => {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul((b | 0) ^ Math.floor(b / 0x1_0000_0000), 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39)
  return ((h ^ (h >>> 15)) >>> 0) / 0x1_0000_0000
}

/** The waves of the prices: for each wave, its period in hours and its amplitude in the log price. */
const waves = [[9, 0.003], [31, 0.012], [67, 0.025], [173, 0.05], [411, 0.07], [1_237, 0.12]] as const
const stepMs = 5 * minuteMs

const coinSeed = (coin: string): number => coins.findIndex((one) => one.coin === coin) + 1

/** Complete candles before any alteration, which all instances share because they are a pure function of time. */
const unalteredCandles = new Map<string, Candle>()

export class FakeCoins {
  readonly #alteredFrom: number
  readonly #alteredCandles = new Map<string, Candle>()

  constructor(alteredFrom: number) {
    this.#alteredFrom = alteredFrom
  }

  #gridPrice(coin: string, time: number): number {
    const seed = coinSeed(coin)
    if (coin === "USDT") return 1 + 0.0004 * (hashToUnit(seed, time / stepMs) - 0.5)
    let log = 0.002 * (hashToUnit(seed, time / stepMs) - 0.5)
    for (const [i, [hours, size]] of waves.entries()) {
      log += size * Math.sin((2 * Math.PI * time) / (hours * hourMs) + 7 * hashToUnit(seed, i))
    }
    if (time >= this.#alteredFrom) log += 0.2 * Math.sin((time - this.#alteredFrom) / (5 * hourMs)) + 0.05
    return basePrices[coin]! * Math.exp(log)
  }

  #fine(coin: string, time: number, until: number, open: number, end: number): Candle {
    const seed = coinSeed(coin)
    const closed = time + stepMs <= until
    const close = closed ? end : open + (end - open) * ((until - time) / stepMs)
    const share = closed ? 1 : (until - time) / stepMs
    const volume = (1e6 / basePrices[coin]!) * (0.5 + hashToUnit(seed + 50, time / stepMs)) * share
    const wick = 0.001 * hashToUnit(seed + 90, time / stepMs) * share
    return {
      time,
      open,
      high: Math.max(open, close) * (1 + wick),
      low: Math.min(open, close) * (1 - wick),
      close,
      volume,
      quoteVolume: volume * ((open + close) / 2),
      takerBuyVolume: volume * (0.5 + 4 * Math.tanh(Math.log(close / open)) * 0.5),
      closed
    }
  }

  #candle(coin: Coin, timeframe: Timeframe, time: number, until: number): Candle {
    const end = time + durationMs[timeframe]
    const key = `${coin.coin}:${timeframe}:${time}`
    const candles = end < this.#alteredFrom ? unalteredCandles : this.#alteredCandles
    const cached = end <= until ? candles.get(key) : undefined
    if (cached !== undefined) return cached
    const from = Math.max(time, coin.listedAt)
    const stepCandles: Array<Candle> = []
    const firstStep = Math.ceil(from / stepMs) * stepMs
    let price = this.#gridPrice(coin.coin, firstStep)
    for (let t = firstStep; t < Math.min(end, until); t += stepMs) {
      const next = this.#gridPrice(coin.coin, t + stepMs)
      stepCandles.push(this.#fine(coin.coin, t, until, price, next))
      price = next
    }
    const [first, ...rest] = stepCandles
    const candle = mergeCandles(time, [first!, ...rest], end <= until)
    if (candle.closed) candles.set(key, candle)
    return candle
  }

  candles(coin: Coin, timeframe: Timeframe, { from, to }: Interval, until: number): ReadonlyArray<Candle> {
    const length = durationMs[timeframe]
    const first = Math.ceil(Math.max(from, Math.floor(coin.listedAt / length) * length) / length) * length
    const candles: Array<Candle> = []
    for (let t = first; t < Math.min(to, until); t += length) candles.push(this.#candle(coin, timeframe, t, until))
    return candles
  }

  price(coin: string, time: number): number {
    const start = Math.floor(time / stepMs) * stepMs
    const open = this.#gridPrice(coin, start)
    return open + (this.#gridPrice(coin, start + stepMs) - open) * ((time - start) / stepMs)
  }

  ticker(coin: Coin, time: number): Ticker {
    const day = this.candles(coin, "1h", { from: time - dayMs, to: time }, time)
    const dayAgo = time - dayMs
    const price = this.price(coin.coin, time)
    return {
      coin: coin.coin,
      time,
      price,
      change24hPct: dayAgo < coin.listedAt ? null : (price / this.price(coin.coin, dayAgo) - 1) * 100,
      high24h: Math.max(...day.map(({ high }) => high)),
      low24h: Math.min(...day.map(({ low }) => low)),
      volume24hUsd: day.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0),
      marketCapUsd: price * coin.circulatingSupply!
    }
  }

  funding(coin: string, time: number): number {
    return 0.0001 + 0.0002 * Math.sin(time / (37 * hourMs) + coinSeed(coin)) +
      (time >= this.#alteredFrom ? 0.0003 : 0)
  }

  perpetual(coin: string, time: number): PerpetualPoint {
    const price = this.#gridPrice(coin, Math.floor(time / stepMs) * stepMs)
    const openInterest = (1e9 / basePrices[coin]!) *
      (1 + 0.2 * Math.sin(time / (53 * hourMs) + coinSeed(coin)) + (time >= this.#alteredFrom ? 0.3 : 0))
    return {
      time,
      fundingRate: this.funding(coin, time),
      fundingIntervalHours: 8,
      openInterest,
      openInterestUsd: openInterest * price,
      longShortRatio: 1.4,
      markPrice: price,
      indexPrice: price
    }
  }

  makeKrwPoint(coin: string, time: number) {
    const usdtPrice = this.price(coin, time)
    const premium = 0.02 * Math.sin(time / (11 * hourMs) + coinSeed(coin))
    return {
      time,
      krwPrice: usdtPrice * usdtKrwRateAt(time) * (1 + premium),
      usdtPrice,
      usdtKrw: usdtKrwRateAt(time),
      usdKrw
    }
  }
}

export const usdKrw = 1_380
export const usdtKrwRateAt = (time: number): number => usdKrw * (1 + 0.01 * Math.sin(time / (19 * hourMs)))
