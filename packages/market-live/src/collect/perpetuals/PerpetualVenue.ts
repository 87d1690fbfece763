import { type Interval, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import type { PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { Told } from "../collector.ts"

type Row<K extends keyof typeof pointsKinds> = PointRow<keyof typeof pointsKinds[K]["columns"] & string>

export type PerpetualRow = Row<"perpetuals">
export type PaymentRow = Row<"fundingPrints">
export type FlowRow = Row<"takerFlow">

/** The rows of an interval, and the time up to which they are complete. */
export type ToldRows<R> = Pick<Told<never>, "since" | "until"> & { readonly rows: ReadonlyArray<R> }

type Series<R> = (
  coin: string,
  interval: Interval
) => Effect.Effect<ToldRows<R> | null, SourceUnavailable>

/**
 * The data of a venue's perpetuals. Null is a perpetual, or a series, that the venue does not have. Only the first
 * venue provides open interest. On the other venues it is at most a quarter as large, so a change of venue would look
 * like money flowing in or out.
 */
export interface PerpetualVenue {
  /** The name in rows and results. */
  readonly name: string
  /** The coins with a trading perpetual, and when each was listed. */
  readonly listed: Effect.Effect<ReadonlyMap<string, number>, SourceUnavailable>
  /**
   * Records of the present instant; coins that the venue cannot provide are missing. Fails if all returned data is of
   * another time. Null if the venue has none of the coins.
   */
  readonly present: (
    coins: ReadonlyArray<string>,
    at: number
  ) => Effect.Effect<ReadonlyMap<string, PerpetualRow> | null, SourceUnavailable>
  /** Past records, every five minutes: open interest and account ratios. */
  readonly past: Series<PerpetualRow>
  readonly payments: Series<PaymentRow>
  readonly flow: Series<FlowRow>
}

export const fineMs = 5 * minuteMs

/** The delay after which a response no longer counts for an instant. */
export const lateMs = minuteMs

/** The time after an instant until which a record waits for account ratios, which need one request per coin. */
const waitedMs = 0.75 * lateMs

/**
 * Returns the rows that are close to an instant, because a wrong clock, ours or the source's, must not move a record.
 * If there are rows, but none of the instant, it fails as `malformed`.
 */
export const ofInstant = <A extends { readonly time: number }>(
  source: string,
  told: ReadonlyArray<A>,
  at: number
): Effect.Effect<ReadonlyArray<A>, SourceUnavailable> => {
  const timely = told.filter(({ time }) => Math.abs(time - at) <= lateMs)
  const newest = Math.max(...told.map(({ time }) => time))
  if (timely.length > 0 || told.length === 0) return Effect.succeed(timely)
  const seconds = Math.round(Math.abs(newest - at) / 1_000)
  const side = newest < at ? "before" : "after"
  const reason =
    `the newest of its mark prices is ${seconds} s ${side} the instant that is recorded: compare the clocks`
  return Effect.fail(new SourceUnavailable({ source, failure: "malformed", reason, retryable: true }))
}

/** The account ratio of an instant, or null if it does not arrive in time: a record without it is better than none. */
export const ratioInTime = <E>(
  asked: Effect.Effect<{ readonly value: ReadonlyArray<{ readonly longShortRatio: number }> }, E>,
  at: number
): Effect.Effect<number | null> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const leftMs = at + waitedMs - now
    if (leftMs <= 0) return Effect.succeed(null)
    const first = Effect.map(asked, ({ value }) => value[0]?.longShortRatio ?? null)
    return Effect.orElseSucceed(Effect.timeout(first, leftMs), () => null)
  })

/** The interval for the account ratio of a present instant: ratios are published every five minutes. */
export const accountsOf = (at: number): Interval => ({ from: Math.floor(at / fineMs) * fineMs, to: at + 1 })

/** A record whose fields are all unknown. */
export const unknown = {
  fundingRate: null,
  fundingIntervalHours: null,
  openInterest: null,
  openInterestUsd: null,
  longShortRatio: null,
  markPrice: null,
  indexPrice: null
}

/** Combines open interest and account ratios, each with its own instants, into records. */
export const recordsOf = (
  interest: ReadonlyArray<Pick<PerpetualRow, "openInterest" | "time"> & { readonly openInterestUsd?: number }>,
  ratios: ReadonlyArray<Pick<PerpetualRow, "longShortRatio" | "time">>
): ReadonlyArray<PerpetualRow> => {
  const rows = new Map<number, PerpetualRow>()
  for (const { openInterest, openInterestUsd = null, time } of interest) {
    rows.set(time, { ...unknown, time, openInterest, openInterestUsd })
  }
  for (const { longShortRatio, time } of ratios) rows.set(time, { ...unknown, time, ...rows.get(time), longShortRatio })
  return [...rows.values()].sort((a, b) => a.time - b.time)
}
