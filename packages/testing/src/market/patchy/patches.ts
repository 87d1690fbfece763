import {
  type Gap,
  hourMs,
  type Interval,
  mapReading,
  type MarketRead,
  minuteMs,
  NoData,
  type Reading,
  reading,
  type Recorded,
  type RecordedRead
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"

/** What is wrong with a venue. */
export interface Patches {
  /** Outages: nothing was recorded in them, and nothing fills them. */
  readonly gaps: ReadonlyArray<Gap>
  /**
   * Outages whose candles, prices and records came later, at `filledAt`: `awaited` until then, or given up for lost, so
   * that they change what was recorded.
   */
  readonly late: ReadonlyArray<Gap & { readonly filledAt: number; readonly awaited?: boolean }>
  /** Coins that ceased to trade, each at a multiple of 5 minutes. */
  readonly delisted: Readonly<Record<string, number>>
  /** Coins whose funding is paid at another interval than every 8 hours. */
  readonly fundingHours: Readonly<Record<string, 1 | 2 | 4>>
  /**
   * Coins of which little is told: no supply, no takers, no open interest or positioning, no quote abroad, no listing
   * date.
   */
  readonly bare: ReadonlyArray<string>
}

/** What every patched port asks: what is known when. */
export interface Patched extends Patches {
  /** The gaps that a question at `now` meets, in order. */
  readonly gapsAt: (now: number) => ReadonlyArray<Gap>
  /** The newest instant that is recorded at or before `time`, as it is known at `now`. */
  readonly recorded: (time: number, now: number) => number
  /** How far the venue is recorded at `now`, given how far the whole one is. */
  readonly recordedBy: (whole: Recorded, now: number) => Recorded
  readonly isBare: (coin: string) => boolean
  readonly delistedAt: (coin: string) => number | null
}

export const patchedBy = (patches: Patches): Patched => {
  for (const [coin, time] of Object.entries(patches.delisted)) {
    if (time % (5 * minuteMs) !== 0) throw new RangeError(`${coin} must be delisted at a multiple of 5 minutes`)
  }
  const gapsAt = (now: number): ReadonlyArray<Gap> =>
    [...patches.gaps, ...patches.late.filter(({ filledAt }) => filledAt > now)]
      .map(({ from, to }) => ({ from, to }))
      .sort((a, b) => a.from - b.from)
  return {
    ...patches,
    gapsAt,
    recorded: (time, now) => {
      const gap = gapsAt(now).findLast(({ from, to }) => from <= time && time < to)
      return gap === undefined ? time : gap.from - 1
    },
    recordedBy: ({ contiguousUntil, revision }, now) => ({
      contiguousUntil: Math.min(
        contiguousUntil,
        // What is not there while an outage lasts is awaited; afterwards only what shall be.
        ...gapsAt(now).filter(({ to }) => to > now).map(({ from }) => from).filter((from) => from <= now),
        ...patches.late.filter(({ awaited, filledAt, from }) => awaited === true && from <= now && now < filledAt)
          .map(({ from }) => from)
      ),
      revision: [
        revision,
        ...patches.late.filter(({ awaited, filledAt }) => awaited !== true && filledAt <= now).map(({ from }) => from)
      ].join(" ")
    }),
    isBare: (coin) => patches.bare.includes(coin),
    delistedAt: (coin) => patches.delisted[coin] ?? null
  }
}

/** Whether a gap touches `[from, to)`. */
export const touched = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from < to && gap.to > from)

/** The gaps within an interval, cut to it. */
export const within = (gaps: ReadonlyArray<Gap>, { from, to }: Interval): ReadonlyArray<Gap> =>
  gaps.flatMap((gap) => {
    const cut = { from: Math.max(from, gap.from), to: Math.min(to, gap.to) }
    return cut.from < cut.to ? [cut] : []
  })

/**
 * What an outage does to a question about the present: it is answered as of the last instant that is recorded. A feed
 * may lag besides.
 */
export const asRecorded = <A>(patched: Patched, read: MarketRead<A>, lagMs = 0): MarketRead<A> =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.flatMap(clock.currentTimeMillis, (now) => {
      const time = patched.recorded(now - lagMs, now)
      if (time === now) return read
      return Effect.provideService(read, Clock.Clock, {
        currentTimeMillisUnsafe: () => time,
        currentTimeMillis: Effect.succeed(time),
        currentTimeNanosUnsafe: () => BigInt(time) * 1_000_000n,
        currentTimeNanos: Effect.succeed(BigInt(time) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      })
    }))

/** `recorded` of a patched port. */
export const recordedLess = (patched: Patched, whole: RecordedRead): RecordedRead => (coins) =>
  Effect.zipWith(
    Clock.currentTimeMillis,
    whole(coins),
    (now, records) =>
      mapReading(records, (all) => new Map([...all].map(([coin, one]) => [coin, patched.recordedBy(one, now)])))
  )

export const nothingRecorded = (symbol: string) =>
  new NoData({ subject: symbol, reason: { key: "none_recorded", params: { symbol } } })

export const ended = (coin: string, delistedAt: number) =>
  new NoData({
    subject: coin,
    reason: { key: "none_after_delisting", params: { coin, since: new Date(delistedAt).toISOString().slice(0, 10) } }
  })

/** The same of another source. */
export const from = (source: string) => <A>(read: MarketRead<A>): MarketRead<A> =>
  Effect.map(read, ({ asOf, value }) => reading(value, source, asOf))

/** What is left of a list, or `NoData`. */
export const kept = <A>(
  { asOf, sources, value }: Reading<ReadonlyArray<A>>,
  keep: (item: A) => boolean,
  newest: (item: A) => number,
  symbol: string
): Effect.Effect<Reading<ReadonlyArray<A>>, NoData> => {
  const left = value.filter(keep)
  const last = left.at(-1)
  return last === undefined
    ? Effect.fail(nothingRecorded(symbol))
    : Effect.succeed({ value: left, sources, asOf: Math.min(asOf, newest(last)) })
}

/** Milliseconds after a full hour at which a payment is stamped, and the most that they come to. */
export const lateness = (time: number): number => (Math.floor(time / hourMs) * 37) % mostLateMs
export const mostLateMs = 900
