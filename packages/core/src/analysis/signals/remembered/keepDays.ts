import { Cause, Clock, Effect, Queue, type Scope } from "effect"
import { dayMs } from "../../../market/timeframe.ts"
import { type DaySeries, type DerivedDaysService, noDays, type StoredDay } from "../DerivedDays.ts"
import { decodeDay, encodeDay } from "./dayBytes.ts"
import type { Layout, RememberedDay } from "./dayRows.ts"
import { Patience, spend } from "./patience.ts"

/** How long a question waits for the store before it is computed instead: longer for what takes longer to compute. */
const getWithinMs = 250
const getDayWithinMs = 10
const putWithinMs = 5_000

/** So often a series is written; what a store refuses so often it may never take. */
const putTries = 5

/** After a failure the store is left alone for so long, so that a hundred coins wait for it once. */
const restMs = 10_000

/** Series that wait to be written; what is computed beyond them is stored by another process, or not at all. */
const waitingSeries = 256

/** Days of a series that are to be kept. */
export interface Put {
  readonly layout: Layout
  readonly key: DaySeries
  readonly days: ReadonlyArray<RememberedDay>
}

export const encodedDays = ({ days, layout }: Put): ReadonlyArray<StoredDay> =>
  days.map((day) => ({ day: day.day, until: day.until, bytes: encodeDay(layout, day) }))

/** `DerivedDays` for who must not depend on it: it never fails, and never holds up a question for long, be it silent or
 * slow. */
export interface KeptDays {
  /** Whether anyone else finds what is kept. */
  readonly shares: boolean
  readonly recall: (
    layout: Layout,
    key: DaySeries,
    from: number,
    to: number
  ) => Effect.Effect<ReadonlyArray<RememberedDay>>
  /** Writes behind: returns at once. */
  readonly keep: (put: Put) => void
}

/** How long something is left alone after it failed. */
interface Rest {
  readonly leftMs: (now: number) => number
  readonly from: (time: number) => void
}

/** Milliseconds as they pass, whatever the present is said to be: a question may be asked of the past. */
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

/** Days kept in a store of whatever temper. */
export const keepDays = Effect.fnUntraced(
  function*(store: DerivedDaysService): Effect.fn.Return<KeptDays, never, Scope.Scope> {
    const puts = yield* Queue.dropping<Put>(waitingSeries)
    // A store may read well and refuse writes, as one whose disk is full does: each rests for itself.
    const [reads, writes] = [makeRest(), makeRest()]

    /** Undefined when the store did not answer in time, or not at all. */
    const ask = <A>(rest: Rest, withinMs: number, effect: Effect.Effect<A, unknown>): Effect.Effect<A | undefined> =>
      Effect.flatMap(passingMs, (now) => {
        if (rest.leftMs(now) > 0) return Effect.succeed(undefined)
        const failed = (cause: Cause.Cause<unknown>): Effect.Effect<undefined> => {
          rest.from(now + withinMs)
          // Why a store does not answer is a line; a bug is told with where it is.
          const why = Cause.hasDies(cause) ? cause : messageOf(Cause.squash(cause))
          return Effect.as(Effect.logWarning("derived days are not stored for some seconds", why), undefined)
        }
        return effect.pipe(Effect.timeout(withinMs), Effect.catchCause(failed))
      })

    const rested = Effect.flatMap(passingMs, (now) => Effect.sleep(writes.leftMs(now)))
    /** True when they are written. */
    const write = (put: Put) => Effect.suspend(() => Effect.as(store.put({ ...put.key, days: encodedDays(put) }), true))
    // What was computed while the store rested, and what it refused, is written afterwards.
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
