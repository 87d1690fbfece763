/**
 * A small market for tests: eight coins whose prices are sums of waves and a little noise, a pure function of time.
 * `alteredFrom` changes everything from that instant on, so that a test can tell what looked into the future.
 */
import {
  addUp,
  type Candle,
  type Coin,
  dayMs,
  type DerivativesPoint,
  durationMs,
  type EquityMarkets,
  type FundingPrint,
  hourMs,
  type Interval,
  type MarketError,
  type MarketStore,
  minuteMs,
  NoData,
  type StockQuote,
  type Ticker,
  type Timeframe,
  UnknownSymbol
} from "@tapeline/core"
import { Clock, Effect } from "effect"

/** Friday, so that exchange rates are fresh. */
export const now = Date.UTC(2026, 5, 19, 10, 24, 30)

const listed = Date.UTC(2024, 0, 1)
const coinOf = (coin: string, circulatingSupply: number, listedAt = listed, isStablecoin = false): Coin => ({
  coin,
  name: coin,
  sector: isStablecoin ? "stablecoin" : "layer1",
  circulatingSupply,
  maxSupply: null,
  listedAt,
  isStablecoin
})

export const coins: ReadonlyArray<Coin> = [
  coinOf("BTC", 2e7),
  coinOf("ETH", 1.2e8),
  coinOf("USDT", 1e11, listed, true),
  coinOf("SOL", 5e8),
  coinOf("XRP", 5e10),
  coinOf("DOGE", 1e11),
  coinOf("ADA", 3e10),
  // Thirty hours old: enough for a few factors only.
  coinOf("BABY", 1e8, now - 30 * hourMs)
]

const basePrice: Readonly<Record<string, number>> = {
  BTC: 60_000,
  ETH: 3_000,
  USDT: 1,
  SOL: 150,
  XRP: 0.6,
  DOGE: 0.12,
  ADA: 0.4,
  BABY: 2
}

/** Uniform in [0, 1) from two integers. */
const hash = (a: number, b: number): number => {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul((b | 0) ^ Math.floor(b / 0x1_0000_0000), 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39)
  return ((h ^ (h >>> 15)) >>> 0) / 0x1_0000_0000
}

/** Periods of the waves in hours, and how far each moves the log price. */
const waves = [[9, 0.003], [31, 0.012], [67, 0.025], [173, 0.05], [411, 0.07], [1_237, 0.12]] as const
const step = 5 * minuteMs

export interface FakeOptions {
  /** From this instant on the market goes another way. */
  readonly alteredFrom?: number
  /** Candles and payments are stored this long after the fact; by default at once. */
  readonly lagMs?: (now: number) => number
  /** Coins without a perpetual besides stablecoins. */
  readonly withoutPerpetual?: ReadonlyArray<string>
}

/** What a test may ask of the fixture directly. */
export interface FakeMarket {
  readonly store: MarketStore["Service"]
  /** How often each method was asked. */
  readonly asked: Map<string, number>
}

export const fakeMarket = (options: FakeOptions = {}): FakeMarket => {
  const { alteredFrom = Infinity } = options
  const asked = new Map<string, number>()
  const count = (method: string): void => void asked.set(method, (asked.get(method) ?? 0) + 1)

  const seedOf = (coin: string): number => coins.findIndex((one) => one.coin === coin) + 1

  /** The price at a multiple of five minutes. */
  const gridPrice = (coin: string, time: number): number => {
    const seed = seedOf(coin)
    if (coin === "USDT") return 1 + 0.0004 * (hash(seed, time / step) - 0.5)
    let log = 0.002 * (hash(seed, time / step) - 0.5)
    for (const [i, [hours, size]] of waves.entries()) {
      log += size * Math.sin((2 * Math.PI * time) / (hours * hourMs) + 7 * hash(seed, i))
    }
    if (time >= alteredFrom) log += 0.2 * Math.sin((time - alteredFrom) / (5 * hourMs)) + 0.05
    return basePrice[coin]! * Math.exp(log)
  }

  const fine = (coin: string, time: number, until: number): Candle => {
    const seed = seedOf(coin)
    const open = gridPrice(coin, time)
    const end = gridPrice(coin, time + step)
    const closed = time + step <= until
    const close = closed ? end : open + (end - open) * ((until - time) / step)
    const share = closed ? 1 : (until - time) / step
    const volume = (1e6 / basePrice[coin]!) * (0.5 + hash(seed + 50, time / step)) * share
    const wick = 0.001 * hash(seed + 90, time / step) * share
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

  const remembered = new Map<string, Candle>()
  const candleAt = (coin: string, timeframe: Timeframe, time: number, until: number): Candle => {
    const end = time + durationMs[timeframe]
    const key = `${coin}:${timeframe}:${time}`
    if (end <= until) {
      const known = remembered.get(key)
      if (known !== undefined) return known
    }
    const from = Math.max(time, coins.find((one) => one.coin === coin)!.listedAt)
    const parts: Array<Candle> = []
    for (let t = Math.ceil(from / step) * step; t < Math.min(end, until); t += step) parts.push(fine(coin, t, until))
    const [first, ...rest] = parts
    const made = addUp(time, [first!, ...rest], end <= until)
    if (made.closed) remembered.set(key, made)
    return made
  }

  const known = (coin: string): Effect.Effect<Coin, MarketError> => {
    const facts = coins.find((one) => one.coin === coin)
    return facts === undefined ? Effect.fail(new UnknownSymbol({ symbol: coin })) : Effect.succeed(facts)
  }

  const range = (coin: Coin, timeframe: Timeframe, { from, to }: Interval, until: number): ReadonlyArray<Candle> => {
    const length = durationMs[timeframe]
    const first = Math.ceil(Math.max(from, Math.floor(coin.listedAt / length) * length) / length) * length
    const found: Array<Candle> = []
    for (let t = first; t < Math.min(to, until); t += length) found.push(candleAt(coin.coin, timeframe, t, until))
    return found
  }

  const some = <A>(series: ReadonlyArray<A>, subject: string): Effect.Effect<ReadonlyArray<A>, NoData> =>
    series.length > 0
      ? Effect.succeed(series)
      : Effect.fail(new NoData({ subject, reason: { key: "none_recorded", params: { symbol: subject } } }))

  const perpetual = (coin: string): Effect.Effect<Coin, MarketError> =>
    Effect.flatMap(known(coin), (facts) =>
      facts.isStablecoin || options.withoutPerpetual?.includes(coin) === true
        ? Effect.fail(new NoData({ subject: `${coin} perpetual`, reason: { key: "none_perpetual", params: { coin } } }))
        : Effect.succeed(facts))

  const fundingAt = (coin: string, time: number): number =>
    0.0001 + 0.0002 * Math.sin(time / (37 * hourMs) + seedOf(coin)) + (time >= alteredFrom ? 0.0003 : 0)

  const pointAt = (coin: string, time: number): DerivativesPoint => {
    const price = gridPrice(coin, Math.floor(time / step) * step)
    const openInterest = (1e9 / basePrice[coin]!) *
      (1 + 0.2 * Math.sin(time / (53 * hourMs) + seedOf(coin)) + (time >= alteredFrom ? 0.3 : 0))
    return {
      time,
      fundingRate: fundingAt(coin, time),
      openInterest,
      openInterestUsd: openInterest * price,
      takerBuyUsd: 1e5,
      takerSellUsd: 9e4,
      longShortRatio: 1.4,
      markPrice: price,
      indexPrice: price
    }
  }

  const at = (time: number, coin: string): number => {
    const start = Math.floor(time / step) * step
    const open = gridPrice(coin, start)
    return open + (gridPrice(coin, start + step) - open) * ((time - start) / step)
  }

  const tickerOf = (coin: Coin, time: number): Ticker => {
    const day = range(coin, "1h", { from: time - dayMs, to: time }, time)
    const before = time - dayMs
    const price = at(time, coin.coin)
    return {
      coin: coin.coin,
      time,
      price,
      change24hPct: before < coin.listedAt ? null : (price / at(before, coin.coin) - 1) * 100,
      high24h: Math.max(...day.map(({ high }) => high)),
      low24h: Math.min(...day.map(({ low }) => low)),
      volume24hUsd: day.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0),
      marketCapUsd: price * coin.circulatingSupply
    }
  }

  const usdKrw = 1_380
  const usdtKrwAt = (time: number): number => usdKrw * (1 + 0.01 * Math.sin(time / (19 * hourMs)))
  const premiumAt = (coin: string, time: number): number => 0.02 * Math.sin(time / (11 * hourMs) + seedOf(coin))
  const krwPoint = (coin: string, time: number) => {
    const usdtPrice = at(time, coin)
    return {
      time,
      krwPrice: usdtPrice * usdtKrwAt(time) * (1 + premiumAt(coin, time)),
      usdtPrice,
      usdtKrw: usdtKrwAt(time),
      usdKrw
    }
  }
  const krwListed = (coin: string): number => coin === "BABY" ? now - 20 * hourMs : listed

  const present = Clock.currentTimeMillis
  const absent = Effect.die(new Error("the fixture has none"))

  const store: MarketStore["Service"] = {
    source: "fixture",
    coins: Effect.map(present, (time) => coins.filter(({ listedAt }) => listedAt <= time)),
    coin: known,
    candles: (query) =>
      Effect.gen(function*() {
        count("candles")
        const until = Math.min(query.until ?? Infinity, yield* present)
        const coin = yield* known(query.coin)
        const length = durationMs[query.timeframe]
        const last = Math.ceil(until / length) * length
        return yield* some(
          range(coin, query.timeframe, { from: last - query.bars * length, to: last }, until),
          `${query.coin} candles`
        )
      }),
    candleRange: (query) =>
      Effect.gen(function*() {
        count("candleRange")
        const coin = yield* known(query.coin)
        const time = yield* present
        const to = Math.min(query.to, Math.floor((time - (options.lagMs?.(time) ?? 0)) / hourMs) * hourMs)
        return yield* some(
          range(coin, query.timeframe, options.lagMs === undefined ? query : { from: query.from, to }, time),
          `${query.coin} candles`
        )
      }),
    priceAt: ({ coin, time }) =>
      Effect.gen(function*() {
        const { listedAt } = yield* known(coin)
        const instant = Math.min(time, yield* present)
        if (instant < listedAt) {
          return yield* new NoData({ subject: coin, reason: { key: "none_so_long", params: { symbol: coin } } })
        }
        return { time: instant, price: at(instant, coin) }
      }),
    ticker: (coin) => Effect.zipWith(known(coin), present, tickerOf),
    tickers: Effect.map(present, (time) => {
      count("tickers")
      return coins.filter(({ listedAt }) => listedAt <= time).map((coin) => tickerOf(coin, time))
    }),
    derivatives: (coin) => Effect.zipWith(perpetual(coin), present, (_, time) => pointAt(coin, time)),
    derivativesHistory: ({ coin, from, stepMs, to }) =>
      Effect.gen(function*() {
        count("derivativesHistory")
        const { listedAt } = yield* perpetual(coin)
        const end = Math.min(to, (yield* present) + 1)
        const found: Array<DerivativesPoint> = []
        for (let t = Math.ceil(Math.max(from, listedAt) / stepMs) * stepMs; t < end; t += stepMs) {
          found.push(pointAt(coin, t))
        }
        return yield* some(found, `${coin} perpetual`)
      }),
    fundingPrints: ({ coin, count: most, until }) =>
      Effect.gen(function*() {
        const { listedAt } = yield* perpetual(coin)
        const time = yield* present
        const end = Math.min(until ?? Infinity, time - (options.lagMs?.(time) ?? 0))
        const interval = 8 * hourMs
        const found: Array<FundingPrint> = []
        for (let t = Math.floor(end / interval) * interval; found.length < most && t > listedAt; t -= interval) {
          found.unshift({ time: t, fundingRate: fundingAt(coin, t) })
        }
        return yield* some(found, `${coin} funding`)
      }),
    fundingByVenue: () => absent,
    futures: () => absent,
    liquidations: () => absent,
    orderBook: () => absent,
    onchainActivity: () => absent,
    socialPosts: () => absent,
    socialActivity: ({ coin, from, stepMs, to }) =>
      Effect.gen(function*() {
        yield* known(coin)
        const end = Math.min(to, yield* present)
        const found = []
        for (let t = Math.floor(from / stepMs) * stepMs; t < end; t += stepMs) {
          found.push({ time: t, mentions: 100, authors: 60, sentiment: 0.4 * Math.sin(t / (61 * hourMs)) })
        }
        return found
      }),
    news: () => absent,
    krwTickers: Effect.map(present, (time) =>
      ["BTC", "ETH", "XRP", "SOL", "DOGE", "BABY", "USDT"].map((coin, i) => ({
        time,
        coin,
        exchange: "upbit" as const,
        krwPrice: krwPoint(coin, time).krwPrice,
        usdtPrice: at(time, coin),
        change24hPct: 1,
        volume24hKrw: 4e11 / 5 ** i,
        listedAt: krwListed(coin)
      }))),
    krwHistory: ({ coin, from, stepMs, to }) =>
      Effect.gen(function*() {
        yield* known(coin)
        const end = Math.min(to, (yield* present) + 1)
        const found = []
        for (let t = Math.ceil(Math.max(from, krwListed(coin)) / stepMs) * stepMs; t < end; t += stepMs) {
          found.push(krwPoint(coin, t))
        }
        return yield* some(found, `${coin} against KRW`)
      }),
    krwListings: () => absent,
    fx: ({ pair, time }) =>
      Effect.map(present, (clock) => {
        const instant = Math.min(time ?? Infinity, clock)
        return { time: instant, pair, rate: pair === "usd_krw" ? usdKrw : usdtKrwAt(instant) }
      }),
    fxHistory: () => absent,
    ivHistory: () => absent,
    stockQuotes: () => absent,
    indexQuotes: () => absent,
    indexHistory: () => absent
  }
  return { store, asked }
}

const quotes: ReadonlyArray<StockQuote> = [
  {
    symbol: "AAPL",
    name: "Apple",
    exchange: "NASDAQ",
    sector: "technology",
    time: now,
    price: 210,
    previousClose: 200,
    changePct: 5,
    volume: 1e7,
    turnover: 2.05e9,
    marketCap: 3.1e12,
    pe: 30,
    pb: 45,
    low52w: 160,
    high52w: 260,
    session: "closed",
    foreignSharePct: null
  },
  {
    symbol: "005930",
    name: "Samsung Electronics",
    exchange: "KOSPI",
    sector: "technology",
    time: now,
    price: 70_000,
    previousClose: 70_000,
    changePct: 0,
    volume: 1e7,
    turnover: 7e11,
    marketCap: 4e14,
    pe: null,
    pb: 1.1,
    low52w: 50_000,
    high52w: 80_000,
    session: "closed",
    foreignSharePct: 52
  }
]

export const fakeEquities: EquityMarkets["Service"] = (() => {
  const absent = Effect.die(new Error("the fixture has none"))
  return {
    source: "fixture",
    stocks: () => absent,
    stock: () => absent,
    quote: (symbol) => {
      const quote = quotes.find((one) => one.symbol === symbol)
      return quote === undefined ? Effect.fail(new UnknownSymbol({ symbol })) : Effect.succeed(quote)
    },
    history: () => absent,
    market: () => absent,
    fundamentals: () => absent,
    earnings: () => absent,
    ratings: () => absent,
    insiderTrades: () => absent,
    filings: () => absent,
    investorFlows: () => absent,
    options: () => absent
  }
})()
