import { Cause, Clock, Context, Effect, Queue, type Scope } from "effect"
import { dayMs } from "../../../market/timeframe.ts"
import { type DaySeries, type DerivedDaysService, emptyDerivedDays, type StoredDay } from "../DerivedDays.ts"
import { type CachedDay, decodeDay, encodeDay, type RowLayout } from "./dayRows.ts"

/** The remaining time that a query may wait for a slow store, in ms. */
export interface WaitBudget {
  leftMs: number
}

/** The response time of a healthy store, in ms. Only the time of slower reads reduces a query's wait budget. */
const normalReadMs = 20
const normalReadPerDayMs = 1

/**
 * The total time that a query waits for a slow store, in ms. A query that has used up this time computes the remaining
 * days instead of reading them.
 */
const waitBudgetMs = 250

/** Creates a wait budget without a limit, for reads outside a query. */
const makeUnlimitedBudget = (): WaitBudget => ({ leftMs: Infinity })

/** The remaining waiting time of the current query. */
export const WaitBudget = Context.Reference<WaitBudget>("@tapeline/core/signals/WaitBudget", {
  defaultValue: makeUnlimitedBudget
})

/** Runs a query and limits the total time that the query's reads wait for the store. */
export const withWaitBudget = <A, E, R>(query: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(query, WaitBudget, { leftMs: waitBudgetMs }))

/** Subtracts from the budget the time by which a read of `days` days exceeded its normal duration. */
export const spendWaitTime = (waitBudget: WaitBudget, elapsedMs: number, days: number): void => {
  waitBudget.leftMs -= Math.max(0, elapsedMs - normalReadMs - normalReadPerDayMs * days)
}

/**
 * The maximum time that a read waits for the store, in ms. If a read takes longer, the query computes the days itself.
 */
const readTimeoutMs = 250
const readTimeoutPerDayMs = 10
const writeTimeoutMs = 5_000

/** The maximum number of attempts of one write to the store. */
const maxWriteAttempts = 5

/**
 * The time for which the store is not used after a failure, in ms. Without such a pause, each concurrent read would
 * wait for the failed store.
 */
const backOffMs = 10_000

/** The maximum number of queued writes. If the queue is full, further writes are dropped. */
const maxQueuedWrites = 256

export interface DayWrite {
  readonly layout: RowLayout
  readonly key: DaySeries
  readonly days: ReadonlyArray<CachedDay>
}

export const encodeDays = ({ days, layout }: DayWrite): ReadonlyArray<StoredDay> =>
  days.map((day) => ({ day: day.day, until: day.until, bytes: encodeDay(layout, day) }))

/** Reads and writes `DerivedDays`. A slow or unavailable store causes neither errors nor long delays. */
export interface SharedDays {
  readonly isShared: boolean
  readonly readDays: (
    layout: RowLayout,
    key: DaySeries,
    from: number,
    to: number
  ) => Effect.Effect<ReadonlyArray<CachedDay>>
  /** Queues days for writing in the background, and returns at once. */
  readonly writeDays: (put: DayWrite) => void
}

interface BackOff {
  readonly getRemainingMs: (now: number) => number
  readonly start: (time: number) => void
}

/** Returns monotonic milliseconds for measuring durations. The result is independent of the Clock's current time. */
const elapsedMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000n) / 1_000)

const getErrorMessage = (error: unknown): string =>
  Cause.isTimeoutError(error) ? "it did not respond in time" : error instanceof Error ? error.message : String(error)

const makeBackOff = (): BackOff => {
  let until = -Infinity
  return {
    getRemainingMs: (now) => Math.max(0, until - now),
    start: (time) => {
      until = time + backOffMs
    }
  }
}

export const makeSharedDays = Effect.fnUntraced(
  function*(store: DerivedDaysService): Effect.fn.Return<SharedDays, never, Scope.Scope> {
    const writeQueue = yield* Queue.dropping<DayWrite>(maxQueuedWrites)
    // A store may serve reads and reject writes, for example when its disk is full, so reads and writes have separate
    // pauses.
    const [readBackOff, writeBackOff] = [makeBackOff(), makeBackOff()]

    /** Calls the store, or returns undefined if the store did not respond in time or failed. */
    const callStore = <A>(
      backOff: BackOff,
      timeoutMs: number,
      effect: Effect.Effect<A, unknown>
    ): Effect.Effect<A | undefined> =>
      Effect.flatMap(elapsedMs, (now) => {
        if (backOff.getRemainingMs(now) > 0) return Effect.succeed(undefined)
        const onFailure = (cause: Cause.Cause<unknown>): Effect.Effect<undefined> => {
          backOff.start(now + timeoutMs)
          // A store failure is logged in one line; a bug is logged with its stack trace.
          const detail = Cause.hasDies(cause) ? cause : getErrorMessage(Cause.squash(cause))
          return Effect.as(Effect.logWarning("Storing derived days is suspended for some seconds", detail), undefined)
        }
        return effect.pipe(Effect.timeout(timeoutMs), Effect.catchCause(onFailure))
      })

    const waitForBackOff = Effect.flatMap(elapsedMs, (now) => Effect.sleep(writeBackOff.getRemainingMs(now)))
    const write = (put: DayWrite) =>
      Effect.suspend(() => Effect.as(store.put({ ...put.key, days: encodeDays(put) }), true))
    // Days that were computed during a pause, or whose write failed, are written afterwards.
    const writeWithRetry = (put: DayWrite, attemptsLeft: number): Effect.Effect<void> =>
      waitForBackOff.pipe(
        Effect.andThen(callStore(writeBackOff, writeTimeoutMs, write(put))),
        Effect.flatMap((isWritten) =>
          isWritten === true || attemptsLeft === 1
            ? Effect.void
            : Effect.suspend(() => writeWithRetry(put, attemptsLeft - 1))
        )
      )
    yield* Effect.forkScoped(
      Effect.forever(Effect.flatMap(Queue.take(writeQueue), (put) => writeWithRetry(put, maxWriteAttempts)))
    )

    return {
      isShared: store !== emptyDerivedDays,
      readDays: Effect.fnUntraced(function*(layout, key, from, to) {
        const waitBudget = yield* WaitBudget
        if (waitBudget.leftMs <= 0) return []
        const days = Math.round((to - from) / dayMs)
        const startedAt = yield* elapsedMs
        const found = yield* callStore(
          readBackOff,
          readTimeoutMs + readTimeoutPerDayMs * days,
          Effect.suspend(() => store.get({ ...key, from, to }))
        )
        spendWaitTime(waitBudget, (yield* elapsedMs) - startedAt, days)
        return (found ?? []).flatMap((stored) => decodeDay(layout, { ...stored, revision: key.revision }) ?? [])
      }),
      writeDays: (put) => void Queue.offerUnsafe(writeQueue, put)
    }
  }
)
