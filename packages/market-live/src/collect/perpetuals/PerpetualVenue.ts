import { type Interval, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import type { PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { Told } from "../collector.ts"

type Row<K extends keyof typeof pointsKinds> = PointRow<keyof typeof pointsKinds[K]["columns"] & string>

export type PerpetualRow = Row<"perpetuals">
export type PaymentRow = Row<"fundingPrints">
export type FlowRow = Row<"takerFlow">

/** Rows of an interval, and until when they are all. */
export type ToldRows<R> = Pick<Told<never>, "since" | "until"> & { readonly rows: ReadonlyArray<R> }

type Series<R> = (
  coin: string,
  interval: Interval
) => Effect.Effect<ToldRows<R> | null, SourceUnavailable>

/**
 * What is asked of a venue's perpetuals, whichever it is. Null stands for a perpetual, or a series, it has not. Open
 * interest is the first venue's alone: another's is a quarter of its size or less, and a change from one to the other
 * would be told as money that came or went.
 */
export interface PerpetualVenue {
  /** As rows and results name it. */
  readonly name: string
  /** The coins whose perpetual trades, with when it was listed. */
  readonly listed: Effect.Effect<ReadonlyMap<string, number>, SourceUnavailable>
  /**
   * Records of an instant that is now; coins that it cannot tell are missing. Where all that it tells is of another
   * time, it fails. Null where it has none of the coins.
   */
  readonly present: (
    coins: ReadonlyArray<string>,
    at: number
  ) => Effect.Effect<ReadonlyMap<string, PerpetualRow> | null, SourceUnavailable>
  /** What it keeps of the past, every five minutes: open interest and accounts. */
  readonly past: Series<PerpetualRow>
  readonly payments: Series<PaymentRow>
  readonly flow: Series<FlowRow>
}

export const fineMs = 5 * minuteMs

/** So late an instant is not that instant any more. */
export const lateMs = minuteMs

/** So long after an instant a record no longer waits for accounts, which are asked for coin by coin. */
const waitedMs = 0.75 * lateMs

/**
 * What is of an instant, or nearly: a clock that is wrong, ours or theirs, must not move a record to another one. Where
 * something is told, and nothing of it is of that instant, the source is at fault.
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

/** Accounts of an instant, as far as they come in its time: a record without them is better than none. */
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

/** Accounts of an instant that is now, which are told every five minutes: those of the last instant. */
export const accountsOf = (at: number): Interval => ({ from: Math.floor(at / fineMs) * fineMs, to: at + 1 })

/** A record of which nothing is known. */
export const unknown = {
  fundingRate: null,
  fundingIntervalHours: null,
  openInterest: null,
  openInterestUsd: null,
  longShortRatio: null,
  markPrice: null,
  indexPrice: null
}

/** Open interest and accounts, each of its own instants, as records. */
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
