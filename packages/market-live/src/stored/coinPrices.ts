import {
  type ClosedMinutes,
  CoinPrices,
  minuteMs,
  NoData,
  type PricePoint,
  SourceUnavailable
} from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { lastBars, readCandleRows, toCandles } from "./candles.ts"
import {
  afterDelistingError,
  beforeListingError,
  findListedCoin,
  findTradingCoin,
  noDataError,
  noneRecordedError,
  readCoins,
  toPortCoin
} from "./coins.ts"
import { maxPresentAgeMs } from "./presentDocuments.ts"
import { readPricesAt } from "./readPrices.ts"
import { makeRecordedRead } from "./recordedRead.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"
import { readTickers } from "./tickers.ts"

type Store = MarketStore["Service"]
type Service = CoinPrices["Service"]

const newestTime = (times: ReadonlyArray<number>, now: number): number => times.length === 0 ? now : Math.max(...times)

const compareByMarketCap = (a: number | null, b: number | null): number => (b ?? -1) - (a ?? -1)

const recordedKinds = [{ kind: pointsKinds.candles }, { kind: pointsKinds.prices, usesSameInstant: true }]

const makeCoinsRead = (store: Store): Service["coins"] =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const all = [...(yield* readCoins(store)).values()]
    const prices = yield* readPricesAt(store, all.map(({ coin }) => coin), now)
    const marketCapOf = (coin: string, supply: number | null): number | null => {
      const price = prices.get(coin)?.price
      return supply === null || price === undefined ? null : price * supply
    }
    const sorted = all.map((coin) => ({ coin, cap: marketCapOf(coin.coin, coin.circulatingSupply) }))
      .sort((a, b) =>
        Number(a.coin.delistedAt !== null) - Number(b.coin.delistedAt !== null) || compareByMarketCap(a.cap, b.cap)
      )
    return makeStoredReading(
      sorted.map(({ coin }) => toPortCoin(coin)),
      all.map(({ source }) => source),
      newestTime(all.map(({ fetchedAt }) => fetchedAt), now)
    )
  })

const makeCandleRangeRead = (store: Store): Service["candleRange"] =>
  Effect.fnUntraced(function*({ coin: name, from, timeframe, to }) {
    const knownAt = yield* Clock.currentTimeMillis
    const [{ coin }, rows] = yield* inParallel(
      findListedCoin(store, name),
      readCandleRows(store, { coins: [name], timeframe, from, to, knownAt })
    )
    const found = toCandles(rows.get(name), timeframe, coin, knownAt)
    if (found === undefined) return yield* noDataError(coin, `${timeframe} candles`, { from, to })
    return makeStoredReading(found.candles, found.sources, found.asOf)
  })

const makeCandlesRead = (store: Store): Service["candles"] =>
  Effect.fnUntraced(function*({ bars, coin: name, timeframe, until }) {
    const now = yield* Clock.currentTimeMillis
    const knownAt = Math.min(until ?? now, now)
    const interval = lastBars(timeframe, bars, knownAt)
    const [{ coin }, rows] = yield* inParallel(
      findListedCoin(store, name),
      readCandleRows(store, { coins: [name], timeframe, knownAt, ...interval })
    )
    const found = toCandles(rows.get(name), timeframe, coin, knownAt)
    if (found === undefined) return yield* noDataError(coin, `${timeframe} candles`, interval)
    return makeStoredReading(found.candles, found.sources, found.asOf)
  })

const makeCandlesByCoinRead = (store: Store): Service["candlesByCoin"] =>
  Effect.fnUntraced(function*({ bars, coins: names, timeframe, until }) {
    const now = yield* Clock.currentTimeMillis
    const knownAt = Math.min(until ?? now, now)
    const [coins, rows] = yield* inParallel(
      readCoins(store, names),
      readCandleRows(store, { coins: names, timeframe, knownAt, ...lastBars(timeframe, bars, knownAt) })
    )
    const found = names.flatMap((name) => {
      const coin = coins.get(name)
      const one = coin === undefined ? undefined : toCandles(rows.get(name), timeframe, coin, knownAt)
      return one === undefined ? [] : [[name, one] as const]
    })
    return makeStoredReading(
      new Map(found.map(([name, { candles }]) => [name, candles])),
      found.flatMap(([, { sources }]) => sources),
      newestTime(found.map(([, { asOf }]) => asOf), now)
    )
  })

const makePriceAtRead = (store: Store): Service["priceAt"] =>
  Effect.fnUntraced(function*({ coin: name, time }) {
    const now = yield* Clock.currentTimeMillis
    const [{ coin }, prices] = yield* inParallel(findListedCoin(store, name), readPricesAt(store, [name], time))
    if (time > now) return yield* new NoData({ subject: `${name} price`, reason: { key: "none_yet" } })
    if (time < coin.listedAt) return yield* beforeListingError(coin)
    if (coin.delistedAt !== null && time >= coin.delistedAt) return yield* afterDelistingError(name, coin.delistedAt)
    const found = prices.get(name)
    if (found === undefined) return yield* noneRecordedError(name, "price")
    return makeStoredReading({ time: found.time, price: found.price }, [found.source], found.time)
  })

const startOfMinute = (time: number): number => Math.floor(time / minuteMs) * minuteMs

/** Returns the last price sample of each minute that ends in `(after, until]`. */
const toClosedMinutes = (
  samples: ReadonlyArray<{ readonly time: number; readonly price: number | null }>,
  after: number,
  until: number
): ReadonlyArray<PricePoint> => {
  const points = new Map<number, PricePoint>()
  for (const { price, time } of samples) {
    const end = Math.ceil(time / minuteMs) * minuteMs
    if (price !== null && end > after && end <= until) points.set(end, { time: end, price })
  }
  return [...points.values()]
}

const makeMinutesRead = (store: Store): Service["minutes"] =>
  Effect.fnUntraced(function*({ after, coins, until }) {
    const now = yield* Clock.currentTimeMillis
    const end = startOfMinute(Math.min(until, now))
    const from = Math.min(startOfMinute(after), end)
    const [records, samples] = yield* inParallel(
      makeRecordedRead(store, recordedKinds)(coins),
      inParallel(
        readCoins(store, coins),
        withReadErrors(store.points({ kind: pointsKinds.prices, subjects: coins, from: from + 1, to: end + 1 }))
      )
    )
    const [facts, prices] = samples
    const found = new Map<string, ClosedMinutes>()
    const sources = new Set<string>()
    for (const coin of records.value.keys()) {
      const read = prices.get(coin)
      const delistedAt = facts.get(coin)?.delistedAt ?? Infinity
      const samplesBeforeEnd = (read?.points ?? []).filter(({ time }) => time < delistedAt)
      const watermark = read === undefined ? after : read.record.contiguousUntil
      const hasEnded = watermark >= delistedAt
      // A sample at exactly the watermark may still arrive.
      const knownUntil = Math.min(end, startOfMinute(hasEnded ? now : watermark - 1))
      const points = toClosedMinutes(samplesBeforeEnd, after, knownUntil)
      if (points.length > 0) { for (const { source } of samplesBeforeEnd) sources.add(source) }
      found.set(coin, { knownUntil, points })
    }
    const times = Array.from(found.values(), ({ points }) => points.at(-1)?.time ?? 0)
    const last = newestTime(times, 0)
    return makeStoredReading(found, sources, last === 0 ? now : last)
  })

const makeTickerRead = (store: Store): Service["ticker"] =>
  Effect.fnUntraced(function*(name) {
    const { coin, now } = yield* findTradingCoin(store, name)
    const [found] = yield* readTickers(store, [coin], now)
    if (found === undefined) return yield* noneRecordedError(name, "price")
    return makeStoredReading(found.ticker, found.sources, found.ticker.time)
  })

const makeTickersRead = (store: Store): Service["tickers"] =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const coins = [...(yield* readCoins(store)).values()].filter(({ delistedAt }) => delistedAt === null)
    const found = yield* readTickers(store, coins, now)
    return makeStoredReading(
      found.map(({ ticker }) => ticker).sort((a, b) => compareByMarketCap(a.marketCapUsd, b.marketCapUsd)),
      found.flatMap(({ sources }) => sources),
      newestTime(found.map(({ ticker }) => ticker.time), now)
    )
  })

/** The store's subject for the total market capitalisation. */
export const totalMarketSubject = "total"

const makeTotalMarketRead = (store: Store): Service["totalMarket"] =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const query = { kind: pointsKinds.marketCaps, subjects: [totalMarketSubject], at: now, withinMs: maxPresentAgeMs }
    const point = (yield* withReadErrors(store.latest(query))).get(totalMarketSubject)?.point ?? null
    if (point === null || point.marketCapUsd === null) {
      return yield* new SourceUnavailable({
        source: "coinpaprika",
        failure: "unreachable",
        reason: "no data of the whole market is recorded for the last hour",
        retryable: true
      })
    }
    const { marketCapUsd, source, time, volume24hUsd } = point
    return makeStoredReading({ time, marketCapUsd, volume24hUsd }, [source], time)
  })

const makeCoinRead = (store: Store): Service["coin"] => (name) =>
  Effect.map(
    findListedCoin(store, name),
    ({ coin }) => makeStoredReading(toPortCoin(coin), [coin.source], coin.fetchedAt)
  )

/** Implements `CoinPrices` with data from the market store. */
export const storedCoinPrices: Layer.Layer<CoinPrices, never, MarketStore> = Layer.effect(
  CoinPrices,
  Effect.map(MarketStore, (store) => ({
    coins: makeCoinsRead(store),
    coin: makeCoinRead(store),
    candles: makeCandlesRead(store),
    candleRange: makeCandleRangeRead(store),
    watermarks: makeRecordedRead(store, recordedKinds),
    priceAt: makePriceAtRead(store),
    minutes: makeMinutesRead(store),
    candlesByCoin: makeCandlesByCoinRead(store),
    ticker: makeTickerRead(store),
    tickers: makeTickersRead(store),
    totalMarket: makeTotalMarketRead(store)
  }))
)
