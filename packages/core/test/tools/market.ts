/** A small market for tests, behind core's ports: `FakeCoins`, read at the clock's time. */
import {
  candlesByCoin,
  type Coin,
  CoinDerivatives,
  CoinPrices,
  durationMs,
  EquityMarkets,
  ExchangeRates,
  type FundingPrint,
  hourMs,
  KoreanCoinMarkets,
  type MarketError,
  minutesByPriceAt,
  NoData,
  type Reading,
  reading,
  type RecordedRead,
  SocialFeed,
  type Stepped,
  type Stock,
  type StockQuote,
  UnknownSymbol
} from "@tapeline/core"
import { Clock, Effect, Layer } from "effect"
import { coins, FakeCoins, listed, now, usdKrw, usdtKrwAt } from "./FakeCoins.ts"

export { now } from "./FakeCoins.ts"

export interface FakeOptions {
  /** The instant from which the market's prices differ. */
  readonly alteredFrom?: number
  /** The delay with which candles and payments are stored. The default is 0. */
  readonly lagMs?: (now: number) => number
  /** The factor by which sampled prices differ from the trades of the candles. */
  readonly sampledOff?: number
  /** Coins without a perpetual, in addition to stablecoins. */
  readonly withoutPerpetual?: ReadonlyArray<string>
}

type Ports = CoinPrices | CoinDerivatives | SocialFeed | KoreanCoinMarkets | ExchangeRates

/** The parts of the fixture that a test can read directly. */
export interface FakeMarket {
  readonly layer: Layer.Layer<Ports>
  /** The number of calls of each method. */
  readonly asked: Map<string, number>
}

/** The state that the ports of one fixture share. */
interface Fixture {
  readonly world: FakeCoins
  readonly options: FakeOptions
  readonly count: (method: string) => void
}

const source = "fixture"
const of = <A>(value: A, asOf: number): Reading<A> => reading(value, source, asOf)
const present = Clock.currentTimeMillis
const absent = Effect.die(new Error("the fixture has none"))

const known = (coin: string): Effect.Effect<Coin, MarketError> => {
  const facts = coins.find((one) => one.coin === coin)
  return facts === undefined ? Effect.fail(new UnknownSymbol({ symbol: coin })) : Effect.succeed(facts)
}

const some = <A>(series: ReadonlyArray<A>, subject: string): Effect.Effect<ReadonlyArray<A>, NoData> =>
  series.length > 0
    ? Effect.succeed(series)
    : Effect.fail(new NoData({ subject, reason: { key: "none_recorded", params: { symbol: subject } } }))

/** The multiples of the step in an interval, before `end`. */
const steps = ({ from, stepMs }: Stepped, end: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let t = Math.ceil(from / stepMs) * stepMs; t < end; t += stepMs) found.push(t)
  return found
}

/**
 * The recorded data: everything except late data. An altered market has another revision from the beginning, because
 * the fixture does not know the earlier reads.
 */
const recordedOf = ({ options }: Fixture, has: (coin: Coin) => boolean): RecordedRead => (asked) =>
  Effect.map(present, (time) => {
    const lag = options.lagMs?.(time) ?? 0
    const contiguousUntil = lag === 0 ? time : Math.floor((time - lag) / hourMs) * hourMs
    const known = coins.filter((one) => asked.includes(one.coin) && one.listedAt <= time && has(one))
    const record = { contiguousUntil, revision: String(options.alteredFrom ?? "as it was") }
    return of(new Map(known.map(({ coin }) => [coin, record])), time)
  })

const pricesOf = (fixture: Fixture): CoinPrices["Service"] => {
  const quotes = { ...quotesOf(fixture), recorded: recordedOf(fixture, () => true) }
  return {
    ...quotes,
    minutes: minutesByPriceAt(quotes, source),
    candlesByCoin: candlesByCoin(quotes.candles, source)
  }
}

type Quotes = Omit<CoinPrices["Service"], "candlesByCoin" | "minutes" | "recorded">

const quotesOf = ({ count, options, world }: Fixture): Quotes => ({
  coins: Effect.map(present, (time) => of(coins.filter(({ listedAt }) => listedAt <= time), time)),
  coin: (coin) => Effect.zipWith(known(coin), present, of),
  candles: Effect.fnUntraced(function*(query) {
    count("candles")
    const until = Math.min(query.until ?? Infinity, yield* present)
    const coin = yield* known(query.coin)
    const length = durationMs[query.timeframe]
    const last = Math.ceil(until / length) * length
    const interval = { from: last - query.bars * length, to: last }
    const found = yield* some(world.candles(coin, query.timeframe, interval, until), `${query.coin} candles`)
    return of(found, Math.min(until, found.at(-1)!.time + length))
  }),
  candleRange: Effect.fnUntraced(function*(query) {
    count("candleRange")
    const coin = yield* known(query.coin)
    const time = yield* present
    const lag = options.lagMs?.(time)
    const to = lag === undefined ? query.to : Math.min(query.to, Math.floor((time - lag) / hourMs) * hourMs)
    const found = yield* some(
      world.candles(coin, query.timeframe, { from: query.from, to }, time),
      `${query.coin} candles`
    )
    return of(found, Math.min(time, found.at(-1)!.time + durationMs[query.timeframe]))
  }),
  priceAt: Effect.fnUntraced(function*({ coin, time }) {
    const { listedAt } = yield* known(coin)
    const instant = Math.min(time, yield* present)
    if (instant < listedAt) {
      return yield* new NoData({ subject: coin, reason: { key: "none_so_long", params: { symbol: coin } } })
    }
    return of({ time: instant, price: world.price(coin, instant) * (options.sampledOff ?? 1) }, instant)
  }),
  ticker: (coin) => Effect.zipWith(known(coin), present, (facts, time) => of(world.ticker(facts, time), time)),
  tickers: Effect.map(present, (time) => {
    count("tickers")
    return of(coins.filter(({ listedAt }) => listedAt <= time).map((coin) => world.ticker(coin, time)), time)
  }),
  totalMarket: absent
})

const derivativesOf = (fixture: Fixture): CoinDerivatives["Service"] => {
  const { count, options, world } = fixture
  const perpetual = (coin: string): Effect.Effect<Coin, MarketError> =>
    Effect.flatMap(known(coin), (facts) =>
      facts.isStablecoin || options.withoutPerpetual?.includes(coin) === true
        ? Effect.fail(new NoData({ subject: `${coin} perpetual`, reason: { key: "none_perpetual", params: { coin } } }))
        : Effect.succeed(facts))
  return {
    perpetual: (coin) =>
      Effect.zipWith(
        perpetual(coin),
        present,
        (_, time) =>
          of({ ...world.perpetual(coin, time), fundingVenue: "fixture", openInterestVenues: ["fixture"] }, time)
      ),
    perpetuals: absent,
    perpetualHistory: Effect.fnUntraced(function*({ coin, from, stepMs, to }) {
      count("perpetualHistory")
      const { listedAt } = yield* perpetual(coin)
      const end = Math.min(to, (yield* present) + 1)
      const times = steps({ from: Math.max(from, listedAt), to, stepMs }, end)
      yield* some(times, `${coin} perpetual`)
      return of({ points: times.map((time) => world.perpetual(coin, time)), gaps: [] }, times.at(-1)!)
    }),
    fundingPrints: Effect.fnUntraced(function*({ coin, from, to }) {
      const { listedAt } = yield* perpetual(coin)
      const time = yield* present
      const end = Math.min(to, time - (options.lagMs?.(time) ?? 0) + 1)
      const prints = steps({ from: Math.max(from, listedAt + 1), to, stepMs: 8 * hourMs }, end).map((
        t
      ): FundingPrint => ({
        time: t,
        fundingRate: world.funding(coin, t),
        intervalHours: 8
      }))
      yield* some(prints, `${coin} funding`)
      return of(prints, prints.at(-1)!.time)
    }),
    recorded: recordedOf(
      fixture,
      ({ coin, isStablecoin }) => !isStablecoin && options.withoutPerpetual?.includes(coin) !== true
    ),
    fundingByVenue: () => absent,
    openInterestByVenue: () => absent,
    takerFlow: () => absent,
    futures: () => absent,
    liquidations: () => absent
  }
}

const socialOf = (fixture: Fixture): SocialFeed["Service"] => ({
  posts: () => absent,
  activity: Effect.fnUntraced(function*({ coin, from, stepMs, to }) {
    yield* known(coin)
    const end = Math.min(to, yield* present)
    const first = Math.floor(from / stepMs) * stepMs
    const points = steps({ from: first, to, stepMs }, end).map((time) => ({
      time,
      mentions: 100,
      authors: 60,
      sentiment: 0.4 * Math.sin(time / (61 * hourMs))
    }))
    return of({ points, gaps: [] }, end)
  }),
  activityByCoin: () => absent,
  recorded: recordedOf(fixture, () => true)
})

const krwListed = (coin: string): number => coin === "BABY" ? now - 20 * hourMs : listed

const koreaOf = ({ world }: Fixture): KoreanCoinMarkets["Service"] => ({
  tickers: Effect.map(present, (time) =>
    of(
      ["BTC", "ETH", "XRP", "SOL", "DOGE", "BABY", "USDT"].map((coin, i) => ({
        time,
        coin,
        exchange: "upbit" as const,
        krwPrice: world.krwPoint(coin, time).krwPrice,
        usdtPrice: world.price(coin, time),
        change24hPct: 1,
        volume24hKrw: 4e11 / 5 ** i,
        listedAt: krwListed(coin)
      })),
      time
    )),
  history: Effect.fnUntraced(function*({ coin, from, stepMs, to }) {
    yield* known(coin)
    const end = Math.min(to, (yield* present) + 1)
    const times = steps({ from: Math.max(from, krwListed(coin)), to, stepMs }, end)
    yield* some(times, `${coin} against KRW`)
    return of({ points: times.map((time) => world.krwPoint(coin, time)), gaps: [] }, times.at(-1)!)
  }),
  listings: () => absent,
  delistings: () => absent
})

const rates: ExchangeRates["Service"] = {
  rate: ({ pair, time }) =>
    Effect.map(present, (clock) => {
      const at = Math.min(time ?? Infinity, clock)
      return of({ time: at, quotedAt: at, pair, rate: pair === "usd_krw" ? usdKrw : usdtKrwAt(at) }, at)
    }),
  history: () => absent
}

export const fakeMarket = (options: FakeOptions = {}): FakeMarket => {
  const asked = new Map<string, number>()
  const fixture: Fixture = {
    world: new FakeCoins(options.alteredFrom ?? Infinity),
    options,
    count: (method) => void asked.set(method, (asked.get(method) ?? 0) + 1)
  }
  return {
    asked,
    layer: Layer.mergeAll(
      Layer.succeed(CoinPrices, pricesOf(fixture)),
      Layer.succeed(CoinDerivatives, derivativesOf(fixture)),
      Layer.succeed(SocialFeed, socialOf(fixture)),
      Layer.succeed(KoreanCoinMarkets, koreaOf(fixture)),
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

/** A stock with earnings, one with a loss, a fund that has only prices, and a stock of Seoul. */
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

const stockOf = ({ exchange, name, sector, symbol }: StockQuote): Stock => ({
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
  stocks: (country) => Effect.sync(() => of(quotes.map(stockOf).filter((stock) => stock.country === country), now)),
  stock: (symbol) => {
    const quote = quotes.find((one) => one.symbol === symbol)
    return quote === undefined ? Effect.fail(new UnknownSymbol({ symbol })) : Effect.succeed(of(stockOf(quote), now))
  },
  quote: (symbol) => {
    const quote = quotes.find((one) => one.symbol === symbol)
    return quote === undefined ? Effect.fail(new UnknownSymbol({ symbol })) : Effect.succeed(of(quote, quote.time))
  },
  history: () => absent,
  market: () => absent,
  fundamentals: () => absent,
  earnings: () => absent,
  ratings: () => absent,
  ratingChanges: () => absent,
  insiderTrades: () => absent,
  filings: () => absent,
  investorFlows: () => absent,
  options: () => absent
})
