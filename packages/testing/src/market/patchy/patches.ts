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

/** The defects of a venue. */
export interface Patches {
  /** Outages without records, which no backfill fills. */
  readonly gaps: ReadonlyArray<Gap>
  /**
   * Outages whose candles, prices and records arrive later, at `filledAt`. With `awaited` they are expected until then.
   * Otherwise they count as lost, so the backfill changes the revision.
   */
  readonly late: ReadonlyArray<Gap & { readonly filledAt: number; readonly awaited?: boolean }>
  /** Coins that were delisted, each at a multiple of 5 minutes. */
  readonly delisted: Readonly<Record<string, number>>
  /** Coins whose funding interval is not 8 hours. */
  readonly fundingHours: Readonly<Record<string, 1 | 2 | 4>>
  /** Coins with few facts: no supply, taker volume, open interest, positioning, quote abroad or listing date. */
  readonly bare: ReadonlyArray<string>
}

/** The data that is known at a time, for every patched port. */
export interface Patched extends Patches {
  /** The gaps of a query at `now`, in order. */
  readonly gapsAt: (now: number) => ReadonlyArray<Gap>
  /** The newest recorded instant at or before `time`, as known at `now`. */
  readonly recorded: (time: number, now: number) => number
  /** The venue's watermark and revision at `now`, given those of the complete venue. */
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
        // During an outage, missing data is expected. After it, only `awaited` data is.
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

/** The gaps within an interval, cut to the interval. */
export const within = (gaps: ReadonlyArray<Gap>, { from, to }: Interval): ReadonlyArray<Gap> =>
  gaps.flatMap((gap) => {
    const cut = { from: Math.max(from, gap.from), to: Math.min(to, gap.to) }
    return cut.from < cut.to ? [cut] : []
  })

/** Answers a query about the present as of the last recorded instant, because of outages. A feed may also lag. */
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

/** Replaces the source of a reading. */
export const from = (source: string) => <A>(read: MarketRead<A>): MarketRead<A> =>
  Effect.map(read, ({ asOf, value }) => reading(value, source, asOf))

/** Filters a list, or fails with `NoData` if no item remains. */
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

/** The milliseconds after a full hour at which a payment is stamped, and their upper bound. */
export const lateness = (time: number): number => (Math.floor(time / hourMs) * 37) % mostLateMs
export const mostLateMs = 900
