import { type Context, Effect, type Schedule, Semaphore } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"
import type { ChargeRequest, ChargeResult, UnreservedCall } from "./charge.ts"

/** The number of ids that a process fetches at once. The ids that are left when the process ends are never used. */
const idBlockSize = 1_000

/**
 * Creates an effect that takes an id of a new call from a block of ids, and fetches a block if none is left. `discard`
 * drops the remaining ids: after a failover that lost the last commits, other processes may get the same ids.
 */
export const makeCallIds = (
  fetch: (count: number) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>
) => {
  const ids: Array<number> = []
  const singleFetch = Semaphore.makeUnsafe(1)
  const fetchIfEmpty = Effect.suspend(() =>
    ids.length > 0
      ? Effect.void
      : Effect.map(fetch(idBlockSize), (block) => void ids.push(...block.toReversed()))
  )
  const take: Effect.Effect<number, StoreUnavailable> = Effect.suspend(() => {
    const id = ids.pop()
    return id === undefined ? Effect.andThen(singleFetch.withPermit(fetchIfEmpty), take) : Effect.succeed(id)
  })
  const discard = () => void ids.splice(0)
  return { take, discard }
}

/**
 * Creates a function that charges a call, and repeats the request with the same id while the store is unavailable.
 * Calls `onUnavailable` before the first repetition.
 */
export const makeCharge = (
  charge: (request: ChargeRequest) => Effect.Effect<ChargeResult, StoreUnavailable>,
  onUnavailable: () => void,
  retrySchedule: Schedule.Schedule<unknown>,
  limits: { readonly maxWaitMs: number; readonly minRetryMs: number }
) =>
(request: Omit<ChargeRequest, "isRepeated">): Effect.Effect<ChargeResult, StoreUnavailable> =>
  Effect.clockWith((clock) => {
    const startedAt = clock.currentTimeMillisUnsafe()
    return Effect.catch(
      charge({ ...request, isRepeated: false }),
      (cause) => {
        onUnavailable()
        return Effect.retry(charge({ ...request, isRepeated: true }), retrySchedule).pipe(
          Effect.timeoutOrElse({
            duration: Math.max(limits.minRetryMs, startedAt + limits.maxWaitMs - clock.currentTimeMillisUnsafe()),
            orElse: () => Effect.fail(cause)
          })
        )
      }
    )
  })

const failureLog = { delayMs: 1_000, maxCalls: 1_000 } as const

/**
 * Collects failed calls, and records them after a second, or when the scope is closed. Drops a call if too many calls
 * wait, if its account is locked, or if the store is unavailable.
 */
export const makeFailureLog = Effect.fnUntraced(function*(
  record: (calls: ReadonlyArray<UnreservedCall>) => Effect.Effect<void, StoreUnavailable>
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<never>()
  const pending: Array<UnreservedCall> = []
  const flush = Effect.suspend(() => Effect.ignore(record(pending.splice(0))))
  // The context of a caller, such as a transaction, must not apply to other callers' calls.
  const flushLater = Effect.updateContext(
    Effect.delay(flush, failureLog.delayMs),
    (_: Context.Context<never>): Context.Context<never> => context
  )
  yield* Effect.addFinalizer(() => flush)
  return (call: UnreservedCall): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (pending.length < failureLog.maxCalls) pending.push(call)
      return pending.length === 1
        ? Effect.asVoid(Effect.forkIn(flushLater, scope))
        : Effect.void
    })
})
