import { durationMs, type Gap, type Interval } from "@tapeline/core/market"
import { type Covering, type Fence, type MarketStore, ranges, within, without } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"

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
  /** How many days of candles, of minute prices and of perpetuals there are. */
  readonly candleDays: number
  readonly priceDays: number
  readonly perpetualDays: number
}

export const fineMs = durationMs["5m"]
export const sourceName = "simulated"
/** Whose records there are of a simulated market's derivatives: its venues, and who collected all of them. */
export const simulatedVenues = [sourceName, "binance", "bybit", "hyperliquid", "okx"]

/** The same clock, standing still. */
export const standing = <A, E, R>(time: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
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
export interface Writing {
  readonly store: MarketStore["Service"]
  readonly fence: Fence
  readonly collection: Collection
}

/** Intervals in whole steps of a grid that hold what is told. */
export const onGrid = (gaps: ReadonlyArray<Gap>, stepMs: number) =>
  ranges(gaps.map(({ from, to }) => ({
    from: Math.floor(from / stepMs) * stepMs,
    to: Math.ceil(to / stepMs) * stepMs
  })))

/** What is covered and lost of an interval. */
export const coveringOf = (interval: Interval, lost: ReadonlyArray<Gap>): Covering => ({
  covers: without([interval], ranges(lost)),
  lost: within(ranges(lost), interval)
})

export const isIn = (gaps: ReadonlyArray<Gap>, time: number): boolean =>
  gaps.some(({ from, to }) => from <= time && time < to)

/** The last instant of a coin's series, exclusive. */
export const endOf = ({ delisted, until }: Collection, coin: string): number =>
  Math.min(until, delisted[coin] ?? Infinity)
