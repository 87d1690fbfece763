import { runAsOf } from "@tapeline/core"
import {
  type Gap,
  hourMs,
  type Interval,
  mapReading,
  type MarketRead,
  minuteMs,
  NoData,
  type Reading,
  type Watermark,
  type WatermarkRead
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"

export interface MarketDefects {
  /** Outages without records, which no backfill fills. */
  readonly gaps: ReadonlyArray<Gap>
  /**
   * Outages whose data arrives late, at `filledAt`. If `isExpected` is true, the watermark does not pass the start of
   * the outage before `filledAt`. If `isExpected` is false, the filled data changes the revision.
   */
  readonly filledOutages: ReadonlyArray<Gap & { readonly filledAt: number; readonly isExpected?: boolean }>
  /** The delisting time of each delisted coin, which must be a multiple of 5 minutes. */
  readonly delisted: Readonly<Record<string, number>>
  /** The funding interval in hours of each coin whose funding interval is not 8 hours. */
  readonly fundingHours: Readonly<Record<string, 1 | 2 | 4>>
  /** Coins without optional facts such as the supply or the listing date. */
  readonly sparseCoins: ReadonlyArray<string>
}

/** The defects of a market, and functions that apply the defects at a given time. */
export interface DefectRules extends MarketDefects {
  readonly gapsAt: (now: number) => ReadonlyArray<Gap>
  /** Returns the newest time with recorded data, at most `time`. Outages that were filled by `now` do not count. */
  readonly getRecordedTime: (time: number, now: number) => number
  /**
   * Returns the watermark and revision of the defective market at `now`. `completeRecord` is the watermark of the
   * complete market, without defects.
   */
  readonly degradeRecord: (completeRecord: Watermark, now: number) => Watermark
  readonly isSparse: (coin: string) => boolean
  readonly getDelistedAt: (coin: string) => number | null
}

export const makeDefectRules = (defects: MarketDefects): DefectRules => {
  for (const [coin, time] of Object.entries(defects.delisted)) {
    if (time % (5 * minuteMs) !== 0) throw new RangeError(`${coin} must be delisted at a multiple of 5 minutes`)
  }
  const gapsAt = (now: number): ReadonlyArray<Gap> =>
    [...defects.gaps, ...defects.filledOutages.filter(({ filledAt }) => filledAt > now)]
      .map(({ from, to }) => ({ from, to }))
      .sort((a, b) => a.from - b.from)
  return {
    ...defects,
    gapsAt,
    getRecordedTime: (time, now) => {
      const gap = gapsAt(now).findLast(({ from, to }) => from <= time && time < to)
      return gap === undefined ? time : gap.from - 1
    },
    degradeRecord: ({ contiguousUntil, revision }, now) => ({
      contiguousUntil: Math.min(
        contiguousUntil,
        // While an outage lasts, missing data is expected. After the outage, the data is expected only if `isExpected`
        // is true.
        ...gapsAt(now).filter(({ to }) => to > now).map(({ from }) => from).filter((from) => from <= now),
        ...defects.filledOutages.filter(({ isExpected, filledAt, from }) =>
          isExpected === true && from <= now && now < filledAt
        )
          .map(({ from }) => from)
      ),
      revision: [
        revision,
        ...defects.filledOutages.filter(({ isExpected, filledAt }) => isExpected !== true && filledAt <= now).map((
          { from }
        ) => from)
      ].join(" ")
    }),
    isSparse: (coin) => defects.sparseCoins.includes(coin),
    getDelistedAt: (coin) => defects.delisted[coin] ?? null
  }
}

export const isTouchedByGap = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from < to && gap.to > from)

export const clipGaps = (gaps: ReadonlyArray<Gap>, { from, to }: Interval): ReadonlyArray<Gap> =>
  gaps.flatMap((gap) => {
    const clipped = { from: Math.max(from, gap.from), to: Math.min(to, gap.to) }
    return clipped.from < clipped.to ? [clipped] : []
  })

/**
 * Runs a query at the newest time with recorded data. During an outage, the newest time is just before the outage.
 * `lagMs` is an additional delay of the feed.
 */
export const readAsRecorded = <A>(defects: DefectRules, read: MarketRead<A>, lagMs = 0): MarketRead<A> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const time = defects.getRecordedTime(now - lagMs, now)
    return time === now ? read : runAsOf(read, time)
  })

export const degradeRecordedRead = (defects: DefectRules, completeRecord: WatermarkRead): WatermarkRead => (coins) =>
  Effect.zipWith(
    Clock.currentTimeMillis,
    completeRecord(coins),
    (now, records) =>
      mapReading(records, (all) => new Map([...all].map(([coin, one]) => [coin, defects.degradeRecord(one, now)])))
  )

export const noDataError = (symbol: string) =>
  new NoData({ subject: symbol, reason: { key: "none_recorded", params: { symbol } } })

export const delistedError = (coin: string, delistedAt: number) =>
  new NoData({
    subject: coin,
    reason: { key: "none_after_delisting", params: { coin, since: new Date(delistedAt).toISOString().slice(0, 10) } }
  })

/** Filters a list, or fails with `NoData` if no item remains. */
export const filterReading = <A>(
  { asOf, sources, value }: Reading<ReadonlyArray<A>>,
  isIncluded: (item: A) => boolean,
  getTime: (item: A) => number,
  symbol: string
): Effect.Effect<Reading<ReadonlyArray<A>>, NoData> => {
  const remaining = value.filter(isIncluded)
  const last = remaining.at(-1)
  return last === undefined
    ? Effect.fail(noDataError(symbol))
    : Effect.succeed({ value: remaining, sources, asOf: Math.min(asOf, getTime(last)) })
}

/** Returns the delay in milliseconds between a full hour and the timestamp of a payment. */
export const getPaymentDelayMs = (time: number): number => (Math.floor(time / hourMs) * 37) % maxPaymentDelayMs
export const maxPaymentDelayMs = 900
