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
import { asked, both, readingOf } from "./asking.ts"
import { candleRows, candlesIn, lastBars } from "./candles.ts"
import {
  afterDelisting,
  beforeListing,
  factsOf,
  listedCoin,
  noneRecorded,
  nothingOf,
  storedCoins,
  tradingCoin
} from "./facts.ts"
import { presentMs } from "./present.ts"
import { pricesAt } from "./prices.ts"
import { recordedOf } from "./recorded.ts"
import { tickersOf } from "./tickers.ts"

type Store = MarketStore["Service"]
type Service = CoinPrices["Service"]

const newest = (times: ReadonlyArray<number>, now: number): number => times.length === 0 ? now : Math.max(...times)

const byCapitalisation = (a: number | null, b: number | null): number => (b ?? -1) - (a ?? -1)

const recordedKinds = [{ kind: pointsKinds.candles }, { kind: pointsKinds.prices, upToItself: true }]

const coinsOf = (store: Store): Service["coins"] =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const all = [...(yield* storedCoins(store)).values()]
    const prices = yield* pricesAt(store, all.map(({ coin }) => coin), now)
    const capOf = (coin: string, supply: number | null): number | null => {
      const price = prices.get(coin)?.price
      return supply === null || price === undefined ? null : price * supply
    }
    const sorted = all.map((coin) => ({ coin, cap: capOf(coin.coin, coin.circulatingSupply) }))
      .sort((a, b) =>
        Number(a.coin.delistedAt !== null) - Number(b.coin.delistedAt !== null) || byCapitalisation(a.cap, b.cap)
      )
    return readingOf(
      sorted.map(({ coin }) => factsOf(coin)),
      all.map(({ source }) => source),
      newest(all.map(({ toldAt }) => toldAt), now)
    )
  })

const candleRangeOf = (store: Store): Service["candleRange"] =>
  Effect.fnUntraced(function*({ coin: name, from, timeframe, to }) {
    const seen = yield* Clock.currentTimeMillis
    const [{ coin }, rows] = yield* both(
      listedCoin(store, name),
      candleRows(store, { coins: [name], timeframe, from, to, seen })
    )
    const found = candlesIn(rows.get(name), timeframe, coin, seen)
    if (found === undefined) return yield* nothingOf(coin, `${timeframe} candles`, { from, to })
    return readingOf(found.candles, found.sources, found.asOf)
  })

const candlesOf = (store: Store): Service["candles"] =>
  Effect.fnUntraced(function*({ bars, coin: name, timeframe, until }) {
    const now = yield* Clock.currentTimeMillis
    const seen = Math.min(until ?? now, now)
    const interval = lastBars(timeframe, bars, seen)
    const [{ coin }, rows] = yield* both(
      listedCoin(store, name),
      candleRows(store, { coins: [name], timeframe, seen, ...interval })
    )
    const found = candlesIn(rows.get(name), timeframe, coin, seen)
    if (found === undefined) return yield* nothingOf(coin, `${timeframe} candles`, interval)
    return readingOf(found.candles, found.sources, found.asOf)
  })

const candlesByCoinOf = (store: Store): Service["candlesByCoin"] =>
  Effect.fnUntraced(function*({ bars, coins: names, timeframe, until }) {
    const now = yield* Clock.currentTimeMillis
    const seen = Math.min(until ?? now, now)
    const [coins, rows] = yield* both(
      storedCoins(store, names),
      candleRows(store, { coins: names, timeframe, seen, ...lastBars(timeframe, bars, seen) })
    )
    const found = names.flatMap((name) => {
      const coin = coins.get(name)
      const one = coin === undefined ? undefined : candlesIn(rows.get(name), timeframe, coin, seen)
      return one === undefined ? [] : [[name, one] as const]
    })
    return readingOf(
      new Map(found.map(([name, { candles }]) => [name, candles])),
      found.flatMap(([, { sources }]) => sources),
      newest(found.map(([, { asOf }]) => asOf), now)
    )
  })

const priceAtOf = (store: Store): Service["priceAt"] =>
  Effect.fnUntraced(function*({ coin: name, time }) {
    const now = yield* Clock.currentTimeMillis
    const [{ coin }, prices] = yield* both(listedCoin(store, name), pricesAt(store, [name], time))
    if (time > now) return yield* new NoData({ subject: `${name} price`, reason: { key: "none_yet" } })
    if (time < coin.listedAt) return yield* beforeListing(coin)
    if (coin.delistedAt !== null && time >= coin.delistedAt) return yield* afterDelisting(name, coin.delistedAt)
    const found = prices.get(name)
    if (found === undefined) return yield* noneRecorded(name, "price")
    return readingOf({ time: found.time, price: found.price }, [found.source], found.time)
  })

const startOfMinute = (time: number): number => Math.floor(time / minuteMs) * minuteMs

/** The last sample of each minute that ends in `(after, until]`. */
const closedMinutes = (
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

const minutesOf = (store: Store): Service["minutes"] =>
  Effect.fnUntraced(function*({ after, coins, until }) {
    const now = yield* Clock.currentTimeMillis
    const end = startOfMinute(Math.min(until, now))
    const from = Math.min(startOfMinute(after), end)
    const [records, samples] = yield* both(
      recordedOf(store, recordedKinds)(coins),
      both(
        storedCoins(store, coins),
        asked(store.points({ kind: pointsKinds.prices, subjects: coins, from: from + 1, to: end + 1 }))
      )
    )
    const [facts, prices] = samples
    const found = new Map<string, ClosedMinutes>()
    const sources = new Set<string>()
    for (const coin of records.value.keys()) {
      const read = prices.get(coin)
      const delistedAt = facts.get(coin)?.delistedAt ?? Infinity
      const told = (read?.points ?? []).filter(({ time }) => time < delistedAt)
      const mark = read === undefined ? after : read.record.contiguousUntil
      const ended = mark >= delistedAt
      // A sample at the watermark itself may still arrive.
      const knownUntil = Math.min(end, startOfMinute(ended ? now : mark - 1))
      const points = closedMinutes(told, after, knownUntil)
      if (points.length > 0) { for (const { source } of told) sources.add(source) }
      found.set(coin, { knownUntil, points })
    }
    const times = Array.from(found.values(), ({ points }) => points.at(-1)?.time ?? 0)
    const last = newest(times, 0)
    return readingOf(found, sources, last === 0 ? now : last)
  })

const tickerOf = (store: Store): Service["ticker"] =>
  Effect.fnUntraced(function*(name) {
    const { coin, now } = yield* tradingCoin(store, name)
    const [found] = yield* tickersOf(store, [coin], now)
    if (found === undefined) return yield* noneRecorded(name, "price")
    return readingOf(found.ticker, found.sources, found.ticker.time)
  })

const allTickers = (store: Store): Service["tickers"] =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const coins = [...(yield* storedCoins(store)).values()].filter(({ delistedAt }) => delistedAt === null)
    const found = yield* tickersOf(store, coins, now)
    return readingOf(
      found.map(({ ticker }) => ticker).sort((a, b) => byCapitalisation(a.marketCapUsd, b.marketCapUsd)),
      found.flatMap(({ sources }) => sources),
      newest(found.map(({ ticker }) => ticker.time), now)
    )
  })

/** The subject of the whole market. */
export const wholeMarket = "total"

const totalMarketOf = (store: Store): Service["totalMarket"] =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const query = { kind: pointsKinds.marketCaps, subjects: [wholeMarket], at: now, withinMs: presentMs }
    const point = (yield* asked(store.latest(query))).get(wholeMarket)?.point ?? null
    if (point === null || point.marketCapUsd === null) {
      return yield* new SourceUnavailable({
        source: "coinpaprika",
        failure: "unreachable",
        reason: "nothing of the last hour is recorded of the whole market",
        retryable: true
      })
    }
    const { marketCapUsd, source, time, volume24hUsd } = point
    return readingOf({ time, marketCapUsd, volume24hUsd }, [source], time)
  })

const coinOf = (store: Store): Service["coin"] => (name) =>
  Effect.map(listedCoin(store, name), ({ coin }) => readingOf(factsOf(coin), [coin.source], coin.toldAt))

/** `CoinPrices` over the service's own store. */
export const storedCoinPrices: Layer.Layer<CoinPrices, never, MarketStore> = Layer.effect(
  CoinPrices,
  Effect.map(MarketStore, (store) => ({
    coins: coinsOf(store),
    coin: coinOf(store),
    candles: candlesOf(store),
    candleRange: candleRangeOf(store),
    recorded: recordedOf(store, recordedKinds),
    priceAt: priceAtOf(store),
    minutes: minutesOf(store),
    candlesByCoin: candlesByCoinOf(store),
    ticker: tickerOf(store),
    tickers: allTickers(store),
    totalMarket: totalMarketOf(store)
  }))
)
