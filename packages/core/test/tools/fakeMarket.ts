/** A small market for tests that implements core's ports. Prices come from `FakeCoins` at the time of the clock. */
import {
  type Coin,
  CoinDerivatives,
  CoinPrices,
  durationMs,
  EquityMarkets,
  ExchangeRates,
  type FundingPayment,
  hourMs,
  KoreanCoinMarkets,
  makeCandlesByCoin,
  makeMinutesFromPrices,
  makeReading,
  type MarketError,
  NoData,
  type Reading,
  SocialFeed,
  type SteppedInterval,
  type Stock,
  type StockQuote,
  UnknownSymbol,
  type WatermarkRead
} from "@tapeline/core"
import { Clock, Effect, Layer } from "effect"
import { coins, defaultListedAt, FakeCoins, now, usdKrw, usdtKrwRateAt } from "./FakeCoins.ts"

export { now } from "./FakeCoins.ts"

export interface FakeOptions {
  /** The time from which the prices differ from those of the other markets. */
  readonly alteredFrom?: number
  /** The delay with which candles and payments are stored; 0 by default. */
  readonly lagMs?: (now: number) => number
  /** The factor between sampled prices and the prices of candles. */
  readonly sampledPriceFactor?: number
  /** The coins without a perpetual, in addition to the stablecoins. */
  readonly withoutPerpetual?: ReadonlyArray<string>
}

type Ports = CoinPrices | CoinDerivatives | SocialFeed | KoreanCoinMarkets | ExchangeRates

export interface FakeMarket {
  readonly layer: Layer.Layer<Ports>
  readonly callCounts: Map<string, number>
}

interface Fixture {
  readonly fakeCoins: FakeCoins
  readonly options: FakeOptions
  readonly count: (method: string) => void
}

const source = "fixture"
const makeFixtureReading = <A>(value: A, asOf: number): Reading<A> => makeReading(value, source, asOf)
const currentTime = Clock.currentTimeMillis
const notProvided = Effect.die(new Error("the fixture does not provide this data"))

const findCoin = (coin: string): Effect.Effect<Coin, MarketError> => {
  const facts = coins.find((one) => one.coin === coin)
  return facts === undefined ? Effect.fail(new UnknownSymbol({ symbol: coin })) : Effect.succeed(facts)
}

const requireSome = <A>(series: ReadonlyArray<A>, subject: string): Effect.Effect<ReadonlyArray<A>, NoData> =>
  series.length > 0
    ? Effect.succeed(series)
    : Effect.fail(new NoData({ subject, reason: { key: "none_recorded", params: { symbol: subject } } }))

/** Returns the multiples of `stepMs` at or after `from` and before `end`. */
const listSteps = ({ from, stepMs }: SteppedInterval, end: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let t = Math.ceil(from / stepMs) * stepMs; t < end; t += stepMs) times.push(t)
  return times
}

/**
 * Reads only the data that is recorded by the current time. If prices are altered, the market has another revision from
 * the beginning.
 */
const makeRecordedRead =
  ({ options }: Fixture, hasSeries: (coin: Coin) => boolean): WatermarkRead => (requestedCoins) =>
    Effect.map(currentTime, (time) => {
      const lag = options.lagMs?.(time) ?? 0
      const contiguousUntil = lag === 0 ? time : Math.floor((time - lag) / hourMs) * hourMs
      const recordedCoins = coins.filter((one) =>
        requestedCoins.includes(one.coin) && one.listedAt <= time && hasSeries(one)
      )
      const record = { contiguousUntil, revision: String(options.alteredFrom ?? "as it was") }
      return makeFixtureReading(new Map(recordedCoins.map(({ coin }) => [coin, record])), time)
    })

const makePrices = (fixture: Fixture): CoinPrices["Service"] => {
  const quotes = { ...makeQuotes(fixture), watermarks: makeRecordedRead(fixture, () => true) }
  return {
    ...quotes,
    minutes: makeMinutesFromPrices(quotes, source),
    candlesByCoin: makeCandlesByCoin(quotes.candles, source)
  }
}

type Quotes = Omit<CoinPrices["Service"], "candlesByCoin" | "minutes" | "watermarks">

const makeQuotes = ({ count, options, fakeCoins }: Fixture): Quotes => ({
  coins: Effect.map(currentTime, (time) => makeFixtureReading(coins.filter(({ listedAt }) => listedAt <= time), time)),
  coin: (coin) => Effect.zipWith(findCoin(coin), currentTime, makeFixtureReading),
  candles: Effect.fnUntraced(function*(query) {
    count("candles")
    const until = Math.min(query.until ?? Infinity, yield* currentTime)
    const coin = yield* findCoin(query.coin)
    const length = durationMs[query.timeframe]
    const last = Math.ceil(until / length) * length
    const interval = { from: last - query.bars * length, to: last }
    const candles = yield* requireSome(
      fakeCoins.candles(coin, query.timeframe, interval, until),
      `${query.coin} candles`
    )
    return makeFixtureReading(candles, Math.min(until, candles.at(-1)!.time + length))
  }),
  candleRange: Effect.fnUntraced(function*(query) {
    count("candleRange")
    const coin = yield* findCoin(query.coin)
    const time = yield* currentTime
    const lag = options.lagMs?.(time)
    const to = lag === undefined ? query.to : Math.min(query.to, Math.floor((time - lag) / hourMs) * hourMs)
    const candles = yield* requireSome(
      fakeCoins.candles(coin, query.timeframe, { from: query.from, to }, time),
      `${query.coin} candles`
    )
    return makeFixtureReading(candles, Math.min(time, candles.at(-1)!.time + durationMs[query.timeframe]))
  }),
  priceAt: Effect.fnUntraced(function*({ coin, time }) {
    const { listedAt } = yield* findCoin(coin)
    const instant = Math.min(time, yield* currentTime)
    if (instant < listedAt) {
      return yield* new NoData({ subject: coin, reason: { key: "none_so_long", params: { symbol: coin } } })
    }
    return makeFixtureReading({
      time: instant,
      price: fakeCoins.price(coin, instant) * (options.sampledPriceFactor ?? 1)
    }, instant)
  }),
  ticker: (coin) =>
    Effect.zipWith(
      findCoin(coin),
      currentTime,
      (facts, time) => makeFixtureReading(fakeCoins.ticker(facts, time), time)
    ),
  tickers: Effect.map(currentTime, (time) => {
    count("tickers")
    return makeFixtureReading(
      coins.filter(({ listedAt }) => listedAt <= time).map((coin) => fakeCoins.ticker(coin, time)),
      time
    )
  }),
  totalMarket: notProvided
})

const makeDerivatives = (fixture: Fixture): CoinDerivatives["Service"] => {
  const { count, options, fakeCoins } = fixture
  const perpetual = (coin: string): Effect.Effect<Coin, MarketError> =>
    Effect.flatMap(findCoin(coin), (facts) =>
      facts.isStablecoin || options.withoutPerpetual?.includes(coin) === true
        ? Effect.fail(new NoData({ subject: `${coin} perpetual`, reason: { key: "none_perpetual", params: { coin } } }))
        : Effect.succeed(facts))
  return {
    perpetual: (coin) =>
      Effect.zipWith(
        perpetual(coin),
        currentTime,
        (_, time) =>
          makeFixtureReading({
            ...fakeCoins.perpetual(coin, time),
            fundingVenue: "fixture",
            openInterestVenues: ["fixture"]
          }, time)
      ),
    perpetuals: notProvided,
    perpetualHistory: Effect.fnUntraced(function*({ coin, from, stepMs, to }) {
      count("perpetualHistory")
      const { listedAt } = yield* perpetual(coin)
      const end = Math.min(to, (yield* currentTime) + 1)
      const times = listSteps({ from: Math.max(from, listedAt), to, stepMs }, end)
      yield* requireSome(times, `${coin} perpetual`)
      return makeFixtureReading(
        { points: times.map((time) => fakeCoins.perpetual(coin, time)), gaps: [] },
        times.at(-1)!
      )
    }),
    fundingPayments: Effect.fnUntraced(function*({ coin, from, to }) {
      const { listedAt } = yield* perpetual(coin)
      const time = yield* currentTime
      const end = Math.min(to, time - (options.lagMs?.(time) ?? 0) + 1)
      const prints = listSteps({ from: Math.max(from, listedAt + 1), to, stepMs: 8 * hourMs }, end).map((
        t
      ): FundingPayment => ({
        time: t,
        fundingRate: fakeCoins.funding(coin, t),
        intervalHours: 8
      }))
      yield* requireSome(prints, `${coin} funding`)
      return makeFixtureReading(prints, prints.at(-1)!.time)
    }),
    watermarks: makeRecordedRead(
      fixture,
      ({ coin, isStablecoin }) => !isStablecoin && options.withoutPerpetual?.includes(coin) !== true
    ),
    fundingByVenue: () => notProvided,
    openInterestByVenue: () => notProvided,
    takerFlow: () => notProvided,
    futures: () => notProvided,
    liquidations: () => notProvided
  }
}

const makeSocialFeed = (fixture: Fixture): SocialFeed["Service"] => ({
  posts: () => notProvided,
  activity: Effect.fnUntraced(function*({ coin, from, stepMs, to }) {
    yield* findCoin(coin)
    const end = Math.min(to, yield* currentTime)
    const first = Math.floor(from / stepMs) * stepMs
    const points = listSteps({ from: first, to, stepMs }, end).map((time) => ({
      time,
      mentions: 100,
      authors: 60,
      sentiment: 0.4 * Math.sin(time / (61 * hourMs))
    }))
    return makeFixtureReading({ points, gaps: [] }, end)
  }),
  activityByCoin: () => notProvided,
  watermarks: makeRecordedRead(fixture, () => true)
})

const krwListedAt = (coin: string): number => coin === "BABY" ? now - 20 * hourMs : defaultListedAt

const makeKoreanMarkets = ({ fakeCoins }: Fixture): KoreanCoinMarkets["Service"] => ({
  tickers: Effect.map(currentTime, (time) =>
    makeFixtureReading(
      ["BTC", "ETH", "XRP", "SOL", "DOGE", "BABY", "USDT"].map((coin, i) => ({
        time,
        coin,
        exchange: "upbit" as const,
        krwPrice: fakeCoins.makeKrwPoint(coin, time).krwPrice,
        usdtPrice: fakeCoins.price(coin, time),
        change24hPct: 1,
        volume24hKrw: 4e11 / 5 ** i,
        listedAt: krwListedAt(coin)
      })),
      time
    )),
  history: Effect.fnUntraced(function*({ coin, from, stepMs, to }) {
    yield* findCoin(coin)
    const end = Math.min(to, (yield* currentTime) + 1)
    const times = listSteps({ from: Math.max(from, krwListedAt(coin)), to, stepMs }, end)
    yield* requireSome(times, `${coin} against KRW`)
    return makeFixtureReading(
      { points: times.map((time) => fakeCoins.makeKrwPoint(coin, time)), gaps: [] },
      times.at(-1)!
    )
  }),
  listings: () => notProvided,
  delistings: () => notProvided
})

const rates: ExchangeRates["Service"] = {
  rate: ({ pair, time }) =>
    Effect.map(currentTime, (clock) => {
      const at = Math.min(time ?? Infinity, clock)
      return makeFixtureReading(
        { time: at, quotedAt: at, pair, rate: pair === "usd_krw" ? usdKrw : usdtKrwRateAt(at) },
        at
      )
    }),
  history: () => notProvided
}

export const makeFakeMarket = (options: FakeOptions = {}): FakeMarket => {
  const callCounts = new Map<string, number>()
  const fixture: Fixture = {
    fakeCoins: new FakeCoins(options.alteredFrom ?? Infinity),
    options,
    count: (method) => void callCounts.set(method, (callCounts.get(method) ?? 0) + 1)
  }
  return {
    callCounts,
    layer: Layer.mergeAll(
      Layer.succeed(CoinPrices, makePrices(fixture)),
      Layer.succeed(CoinDerivatives, makeDerivatives(fixture)),
      Layer.succeed(SocialFeed, makeSocialFeed(fixture)),
      Layer.succeed(KoreanCoinMarkets, makeKoreanMarkets(fixture)),
      Layer.succeed(ExchangeRates, rates)
    )
  }
}

const apple: StockQuote = {
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
  eps: 7,
  pe: 30,
  bookValue: 14 / 3,
  pb: 45,
  low52w: 160,
  high52w: 260,
  session: "closed",
  extended: null,
  foreignSharePct: null
}

/** Four stocks: one with earnings, one with a loss, a fund that has only prices, and a Korean stock. */
const quotes: ReadonlyArray<StockQuote> = [
  apple,
  { ...apple, symbol: "RIVN", name: "Rivian", eps: -3, pe: null, bookValue: 5, pb: 42 },
  {
    ...apple,
    symbol: "SPY",
    name: "S&P 500 fund",
    exchange: "NYSE Arca",
    sector: null,
    previousClose: null,
    changePct: null,
    turnover: null,
    marketCap: null,
    eps: null,
    pe: null,
    bookValue: null,
    pb: null,
    low52w: null,
    high52w: null
  },
  {
    ...apple,
    symbol: "005930",
    name: "Samsung Electronics",
    exchange: "KOSPI",
    foreignSharePct: 52
  }
]

const toStock = ({ exchange, name, sector, symbol }: StockQuote): Stock => ({
  symbol,
  name,
  koreanName: symbol === "005930" ? "삼성전자" : null,
  country: exchange === "KOSPI" ? "KR" : "US",
  exchange,
  currency: exchange === "KOSPI" ? "KRW" : "USD",
  sector,
  sharesOutstanding: null,
  listedAt: null,
  delistedAt: null
})

export const fakeEquities: EquityMarkets["Service"] = EquityMarkets.of({
  stocks: (country) =>
    Effect.sync(() => makeFixtureReading(quotes.map(toStock).filter((stock) => stock.country === country), now)),
  stock: (symbol) => {
    const quote = quotes.find((one) => one.symbol === symbol)
    return quote === undefined
      ? Effect.fail(new UnknownSymbol({ symbol }))
      : Effect.succeed(makeFixtureReading(toStock(quote), now))
  },
  quote: (symbol) => {
    const quote = quotes.find((one) => one.symbol === symbol)
    return quote === undefined
      ? Effect.fail(new UnknownSymbol({ symbol }))
      : Effect.succeed(makeFixtureReading(quote, quote.time))
  },
  history: () => notProvided,
  market: () => notProvided,
  fundamentals: () => notProvided,
  earnings: () => notProvided,
  ratings: () => notProvided,
  ratingChanges: () => notProvided,
  insiderTrades: () => notProvided,
  filings: () => notProvided,
  investorFlows: () => notProvided,
  options: () => notProvided
})
