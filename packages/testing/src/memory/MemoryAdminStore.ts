import {
  type AdminRequest,
  adminResponseRetentionMs,
  AdminStore,
  CurrentAdminActor,
  IdempotencyKeyReused
} from "@tapeline/core/engine"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { makeAdminTokenMethods } from "./adminTokenMethods.ts"
import { MemoryState } from "./MemoryState.ts"

/** Whether the current fiber is within a transaction. */
const IsInTransaction = Context.Reference<boolean>("@tapeline/testing/memory/IsInTransaction", {
  defaultValue: () => false
})

/**
 * Implements `AdminStore` over `MemoryState`. Transactions run one after another, and are not rolled back, because the
 * changes of the memory stores fail before they change anything.
 */
export const MemoryAdminStore: Layer.Layer<AdminStore, never, MemoryState> = Layer.effect(
  AdminStore,
  Effect.gen(function*() {
    const [state, clock, semaphore] = yield* Effect.all([MemoryState, Clock.Clock, Semaphore.make(1)])
    const now = () => clock.currentTimeMillisUnsafe()
    const transact: AdminStore["Service"]["transact"] = (change) =>
      Effect.flatMap(
        IsInTransaction,
        (isInside) => isInside ? change : semaphore.withPermit(Effect.provideService(change, IsInTransaction, true))
      )
    return AdminStore.of({
      ...makeAdminTokenMethods(state, (at) => at ?? now()),
      transact,
      once: <E, R>({ actor, fingerprint, key }: AdminRequest, change: Effect.Effect<string, E, R>) =>
        transact(Effect.suspend((): Effect.Effect<string, E | IdempotencyKeyReused, R> => {
          const id = JSON.stringify([actor, key])
          const earlier = state.adminResponses.get(id)
          if (earlier !== undefined && earlier.createdAt > now() - adminResponseRetentionMs) {
            return earlier.fingerprint === fingerprint
              ? Effect.succeed(earlier.response)
              : Effect.fail(new IdempotencyKeyReused())
          }
          return Effect.tap(
            change,
            (response) => Effect.sync(() => state.adminResponses.set(id, { fingerprint, response, createdAt: now() }))
          )
        })),
      record: (events) =>
        Effect.map(CurrentAdminActor, (actor) => {
          for (const event of events) {
            state.events.push({ ...event, ...actor, id: (state.events.at(-1)?.id ?? 0) + 1, time: now() })
          }
        }),
      publishQueued: (limit) =>
        Effect.sync(() => {
          const queued = state.queuedEvents.splice(0, limit)
          for (const event of queued) {
            const id = (state.events.at(-1)?.id ?? 0) + 1
            state.events.push({ ...event, id, before: null, actor: "service", requestId: null, address: null })
          }
          return queued.length
        }),
      events: ({ account, after, before, limit, since = -Infinity, types, until = Infinity }) =>
        Effect.sync(() =>
          (before === undefined ? state.events : state.events.toReversed()).filter((event) =>
            event.id > after && event.id < (before ?? Infinity) &&
            (account === undefined || event.account === account) &&
            (types === undefined || types.includes(event.type)) && event.time >= since && event.time < until
          ).slice(0, limit)
        ),
      prune: (retentionMs, limit) =>
        Effect.sync(() => {
          const old = state.events.filter(({ time }) => time < now() - retentionMs).slice(0, limit)
          for (const { deliveries } of state.webhooks.values()) {
            for (const { id } of old) deliveries.delete(id)
          }
          state.events.splice(0, state.events.length, ...state.events.filter((event) => !old.includes(event)))
          const oldResponses = [...state.adminResponses]
            .filter(([, { createdAt }]) => createdAt < now() - adminResponseRetentionMs).slice(0, limit)
          for (const [id] of oldResponses) state.adminResponses.delete(id)
          return old.length + oldResponses.length
        })
    })
  })
)
