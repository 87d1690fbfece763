import { type Cause, Clock, Effect, Queue, type Scope } from "effect"
import { dayMs } from "../../market/timeframe.ts"
import { type DaySeries, type DerivedDaysService, noDays } from "../DerivedDays.ts"
import { decodeDay, encodeDay } from "./dayBytes.ts"
import type { Layout, RememberedDay } from "./dayRows.ts"
import { Patience, spend } from "./patience.ts"

/** How long a question waits for the store before it is computed instead: longer for what takes longer to compute. */
const getWithinMs = 250
const getDayWithinMs = 10
const putWithinMs = 5_000

/** After a failure the store is left alone for so long, so that a hundred coins wait for it once. */
const restMs = 10_000

/** Series that wait to be written; what is computed beyond them is stored by another process, or not at all. */
const waitingSeries = 256

interface Put {
  readonly layout: Layout
  readonly key: DaySeries
  readonly days: ReadonlyArray<RememberedDay>
}

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

/** Days kept in a store of whatever temper. */
export const keepDays = Effect.fnUntraced(
  function*(store: DerivedDaysService): Effect.fn.Return<KeptDays, never, Scope.Scope> {
    const puts = yield* Queue.dropping<Put>(waitingSeries)
    let restsUntil = -Infinity
    // A clock that was set back must not make it rest for long.
    const restAt = (now: number): number => {
      const left = restsUntil - now
      return left > putWithinMs + restMs ? 0 : Math.max(0, left)
    }

    /** Undefined when the store did not answer in time, or not at all. */
    const ask = <A>(withinMs: number, effect: Effect.Effect<A, unknown>): Effect.Effect<A | undefined> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (restAt(now) > 0) return Effect.succeed(undefined)
        const failed = (cause: Cause.Cause<unknown>): Effect.Effect<undefined> => {
          restsUntil = now + withinMs + restMs
          return Effect.as(Effect.logWarning("derived days are not stored for some seconds", cause), undefined)
        }
        return effect.pipe(Effect.timeout(withinMs), Effect.catchCause(failed))
      })

    const rested = Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(restAt(now)))
    const write = ({ days, key, layout }: Put) =>
      Effect.suspend(() =>
        store.put({
          ...key,
          days: days.map((day) => ({ day: day.day, until: day.until, bytes: encodeDay(layout, day) }))
        })
      )
    // What was computed while the store rested is written afterwards.
    yield* Effect.forkScoped(Effect.forever(
      Effect.flatMap(Queue.take(puts), (put) => Effect.andThen(rested, ask(putWithinMs, write(put))))
    ))

    return {
      shares: store !== noDays,
      recall: Effect.fnUntraced(function*(layout, key, from, to) {
        const patience = yield* Patience
        if (patience.leftMs <= 0) return []
        const days = Math.round((to - from) / dayMs)
        const began = yield* Clock.currentTimeMillis
        const found = yield* ask(
          getWithinMs + getDayWithinMs * days,
          Effect.suspend(() => store.get({ ...key, from, to }))
        )
        spend(patience, (yield* Clock.currentTimeMillis) - began, days)
        return (found ?? []).flatMap((stored) => decodeDay(layout, { ...stored, revision: key.revision }) ?? [])
      }),
      keep: (put) => void Queue.offerUnsafe(puts, put)
    }
  }
)
