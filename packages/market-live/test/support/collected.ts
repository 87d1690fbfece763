import {
  type Coin,
  CoinPrices,
  dayMs,
  durationMs,
  type Gap,
  hourMs,
  type Interval,
  type MarketError,
  type MarketPorts,
  valueOf
} from "@tapeline/core/market"
import {
  type Covering,
  type Fence,
  MarketStore,
  pointsKinds,
  ranges,
  within,
  without
} from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Clock, Effect, Layer } from "effect"
import { coinDocument } from "../../src/stored/documents.ts"

/** A market as it was collected: what of a whole one, and what was not. */
export interface Collection {
  /** When it was asked for what is kept of the present alone. */
  readonly now: number
  /** Series reach until then; what lies after `now` is there for tests that go on. */
  readonly until: number
  readonly coins: ReadonlyArray<string>
  /** Nothing was recorded then, and nothing fills it. */
  readonly lost: ReadonlyArray<Gap>
  /** Coins that ceased to trade. */
  readonly delisted: Readonly<Record<string, number>>
  /** Coins of which little is told: no supply, no takers. */
  readonly bare: ReadonlyArray<string>
  /** How many days of candles and of minute prices there are. */
  readonly candleDays: number
  readonly priceDays: number
}

const fineMs = durationMs["5m"]
export const sourceName = "simulated"

/** The same clock, standing still. */
const standing = <A, E, R>(time: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(effect, Clock.Clock, {
      currentTimeMillisUnsafe: () => time,
      currentTimeMillis: Effect.succeed(time),
      currentTimeNanosUnsafe: () => BigInt(time) * 1_000_000n,
      currentTimeNanos: Effect.succeed(BigInt(time) * 1_000_000n),
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    }))

/** What collectors write a coin's series with. */
interface Writing {
  readonly store: MarketStore["Service"]
  readonly fence: Fence
  readonly collection: Collection
}

/** Intervals in whole steps of a grid that hold what is told. */
const onGrid = (gaps: ReadonlyArray<Gap>, stepMs: number) =>
  ranges(gaps.map(({ from, to }) => ({
    from: Math.floor(from / stepMs) * stepMs,
    to: Math.ceil(to / stepMs) * stepMs
  })))

/** What is covered and lost of an interval. */
const coveringOf = (interval: Interval, lost: ReadonlyArray<Gap>): Covering => ({
  covers: without([interval], ranges(lost)),
  lost: within(ranges(lost), interval)
})

const isIn = (gaps: ReadonlyArray<Gap>, time: number): boolean => gaps.some(({ from, to }) => from <= time && time < to)

/** The last instant of a coin's series, exclusive. */
const endOf = ({ delisted, until }: Collection, coin: string): number => Math.min(until, delisted[coin] ?? Infinity)

/** Writes a coin's candles of an interval, but for what is lost of them. */
const writeCandles = Effect.fnUntraced(
  function*({ collection, fence, store }: Writing, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const prices = yield* CoinPrices
    const candles = yield* valueOf(prices.candleRange({ coin, timeframe: "5m", ...interval }))
    const holes = onGrid(lost, fineMs)
    const bare = collection.bare.includes(coin)
    const rows = candles
      .filter(({ closed, time }) => closed && !isIn(holes, time))
      .map(({ closed: _, ...candle }) => bare ? { ...candle, takerBuyVolume: null } : candle)
    const series = [{ subject: coin, source: sourceName, rows, ...coveringOf(interval, holes) }]
    yield* store.writePoints({ kind: pointsKinds.candles, fence, series })
  },
  Effect.orDie
)

/** Writes a coin's minute prices likewise. */
const writePrices = Effect.fnUntraced(
  function*({ fence, store }: Writing, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const prices = yield* CoinPrices
    const query = { coins: [coin], after: interval.from - 1, until: interval.to - 1 }
    const { points = [] } = (yield* valueOf(prices.minutes(query))).get(coin) ?? {}
    const rows = points.filter(({ time }) => !isIn(lost, time))
    const series = [{ subject: coin, source: sourceName, rows, ...coveringOf(interval, lost) }]
    yield* store.writePoints({ kind: pointsKinds.prices, fence, series })
  },
  Effect.orDie
)

const writeFacts = Effect.fnUntraced(function*({ collection, fence, store }: Writing) {
  const prices = yield* CoinPrices
  const all = yield* Effect.forEach(collection.coins, (coin) => valueOf(prices.coin(coin)))
  const rows = all.map(({ coin: key, ...facts }: Coin) =>
    coinDocument.rowOf({ key, time: collection.now, source: sourceName }, {
      ...facts,
      circulatingSupply: collection.bare.includes(key) ? null : facts.circulatingSupply,
      delistedAt: collection.delisted[key] ?? null
    })
  )
  yield* store.writeDocuments({ kind: coinDocument.kind, fence, documents: rows })
  const { time, ...total } = yield* valueOf(prices.totalMarket)
  const row = { time, circulatingSupply: null, ...total }
  const series = [{ subject: "total", source: sourceName, rows: [row] }]
  yield* store.writePoints({ kind: pointsKinds.marketCaps, fence, series })
}, Effect.orDie)

/** What some of an interval is filled in with, of a coin. */
const fillIn = (writing: Writing, coin: string, interval: Gap) =>
  Effect.andThen(writeCandles(writing, coin, interval, []), writePrices(writing, coin, interval, []))

const writeAll = Effect.fnUntraced(function*(writing: Writing) {
  const { collection } = writing
  const { candleDays, coins, lost, now, priceDays } = collection
  yield* standing(now, writeFacts(writing))
  const day = Math.floor(now / dayMs) * dayMs
  for (const coin of coins) {
    const to = endOf(collection, coin)
    yield* writeCandles(writing, coin, { from: day - candleDays * dayMs, to: Math.floor(to / fineMs) * fineMs }, lost)
    yield* writePrices(writing, coin, { from: day - priceDays * dayMs, to }, lost)
  }
})

/** A store that a market was collected into, and how a test fills something in. */
export interface CollectedStore {
  readonly layer: Layer.Layer<MarketStore>
  readonly fill: (coin: string, interval: Gap) => Effect.Effect<void>
}

/** A store of its own with what is collected of a market. */
export const collected = (market: Layer.Layer<MarketPorts>, collection: Collection): CollectedStore => {
  let writing: Writing | undefined
  const load = Effect.gen(function*() {
    const store = yield* MarketStore
    const lead = yield* Effect.orDie(store.lead({ source: "collector", holder: "test", ttlMs: hourMs }))
    if (lead._tag !== "Leads") return yield* Effect.die(new Error("another one leads"))
    writing = { store, fence: lead.fence, collection }
    yield* writeAll(writing)
  })
  const over = <A, E extends MarketError>(effect: Effect.Effect<A, E, MarketPorts | MarketStore>) =>
    standing(collection.until, effect)
  return {
    layer: Layer.provideMerge(Layer.effectDiscard(over(load)), MemoryMarketStore).pipe(Layer.provide(market)),
    fill: (coin, interval) =>
      Effect.suspend(() =>
        writing === undefined
          ? Effect.die(new Error("nothing was collected yet"))
          : Effect.provide(standing(collection.until, fillIn(writing, coin, interval)), market)
      )
  }
}
