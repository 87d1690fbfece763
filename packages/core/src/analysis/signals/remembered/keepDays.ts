import { Cause, Clock, Effect, Queue, type Scope } from "effect"
import { dayMs } from "../../../market/timeframe.ts"
import { type DaySeries, type DerivedDaysService, noDays, type StoredDay } from "../DerivedDays.ts"
import { decodeDay, encodeDay } from "./dayBytes.ts"
import type { Layout, RememberedDay } from "./dayRows.ts"
import { Patience, spend } from "./patience.ts"

/**
 * The maximum wait of a read for the store, before its days are computed instead. It grows with the number of days,
 * which take longer to compute.
 */
const getWithinMs = 250
const getDayWithinMs = 10
const putWithinMs = 5_000

/** The maximum number of write attempts. The store may never accept a write that failed this often. */
const putTries = 5

/** The pause in using the store after a failure, so that concurrent reads do not all wait for it. */
const restMs = 10_000

/** The maximum number of series that wait to be written. Further ones are stored by another process, or not at all. */
const waitingSeries = 256

/** Days of a series that are to be stored. */
export interface Put {
  readonly layout: Layout
  readonly key: DaySeries
  readonly days: ReadonlyArray<RememberedDay>
}

export const encodedDays = ({ days, layout }: Put): ReadonlyArray<StoredDay> =>
  days.map((day) => ({ day: day.day, until: day.until, bytes: encodeDay(layout, day) }))

/** A `DerivedDays` that never fails and never delays a read for long, even if the store is unresponsive or slow. */
export interface KeptDays {
  /** Whether other processes can read the stored days. */
  readonly shares: boolean
  readonly recall: (
    layout: Layout,
    key: DaySeries,
    from: number,
    to: number
  ) => Effect.Effect<ReadonlyArray<RememberedDay>>
  /** Writes in the background and returns at once. */
  readonly keep: (put: Put) => void
}

/** The pause after a failure. */
interface Rest {
  readonly leftMs: (now: number) => number
  readonly from: (time: number) => void
}

/** Returns elapsed milliseconds, independent of the Clock's time, because a read may concern the past. */
const passingMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000n) / 1_000)

const messageOf = (error: unknown): string =>
  Cause.isTimeoutError(error) ? "it did not answer in time" : error instanceof Error ? error.message : String(error)

const makeRest = (): Rest => {
  let until = -Infinity
  return {
    leftMs: (now) => Math.max(0, until - now),
    from: (time) => {
      until = time + restMs
    }
  }
}

/** Wraps a store that may be slow or fail. */
export const keepDays = Effect.fnUntraced(
  function*(store: DerivedDaysService): Effect.fn.Return<KeptDays, never, Scope.Scope> {
    const puts = yield* Queue.dropping<Put>(waitingSeries)
    // A store may serve reads and reject writes, for example when its disk is full, so each has its own pause.
    const [reads, writes] = [makeRest(), makeRest()]

    /** Undefined if the store did not respond in time or failed. */
    const ask = <A>(rest: Rest, withinMs: number, effect: Effect.Effect<A, unknown>): Effect.Effect<A | undefined> =>
      Effect.flatMap(passingMs, (now) => {
        if (rest.leftMs(now) > 0) return Effect.succeed(undefined)
        const failed = (cause: Cause.Cause<unknown>): Effect.Effect<undefined> => {
          rest.from(now + withinMs)
          // A store failure is logged in one line; a bug is logged with its stack trace.
          const why = Cause.hasDies(cause) ? cause : messageOf(Cause.squash(cause))
          return Effect.as(Effect.logWarning("derived days are not stored for some seconds", why), undefined)
        }
        return effect.pipe(Effect.timeout(withinMs), Effect.catchCause(failed))
      })

    const rested = Effect.flatMap(passingMs, (now) => Effect.sleep(writes.leftMs(now)))
    /** True if the days are written. */
    const write = (put: Put) => Effect.suspend(() => Effect.as(store.put({ ...put.key, days: encodedDays(put) }), true))
    // Days that were computed during a pause, or whose write failed, are written afterwards.
    const writeSoon = (put: Put, tries: number): Effect.Effect<void> =>
      rested.pipe(
        Effect.andThen(ask(writes, putWithinMs, write(put))),
        Effect.flatMap((written) =>
          written === true || tries === 1 ? Effect.void : Effect.suspend(() => writeSoon(put, tries - 1))
        )
      )
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(puts), (put) => writeSoon(put, putTries))))

    return {
      shares: store !== noDays,
      recall: Effect.fnUntraced(function*(layout, key, from, to) {
        const patience = yield* Patience
        if (patience.leftMs <= 0) return []
        const days = Math.round((to - from) / dayMs)
        const began = yield* passingMs
        const found = yield* ask(
          reads,
          getWithinMs + getDayWithinMs * days,
          Effect.suspend(() => store.get({ ...key, from, to }))
        )
        spend(patience, (yield* passingMs) - began, days)
        return (found ?? []).flatMap((stored) => decodeDay(layout, { ...stored, revision: key.revision }) ?? [])
      }),
      keep: (put) => void Queue.offerUnsafe(puts, put)
    }
  }
)
