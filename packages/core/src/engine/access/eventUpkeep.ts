import { Effect, Layer, Random } from "effect"
import { LedgerStore, type ReachedThreshold } from "../credits/LedgerStore.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { AdminStore, type NewEvent } from "./AdminStore.ts"

/** The settings of the upkeep of recorded events. */
export interface EventUpkeepOptions {
  /** The number of days for which events are kept; 400 by default. */
  readonly retentionDays?: number | undefined
  /** The pause in ms between two searches for queued events; 5000 by default. */
  readonly publishIntervalMs?: number
  /** The pause in ms between two searches for reached credit thresholds; 30 000 by default. */
  readonly thresholdIntervalMs?: number
  /** The pause in ms between two deletions of old events; 600 000 by default. */
  readonly pruneIntervalMs?: number
}

/** The default number of days for which events are kept. */
export const defaultEventRetentionDays = 400

const dayMs = 86_400_000

/**
 * The maximum number of events that one transaction records. Other events are recorded only after the transaction has
 * ended.
 */
const maxRecorded = 100
const maxPruned = 1_000

const thresholdEvents = { 80: "credits.used_80", 100: "credits.used_100" } as const

const toEvent = ({ account, month, monthlyCredits, threshold, used }: ReachedThreshold): NewEvent => ({
  type: thresholdEvents[threshold],
  account,
  target: `month ${month}`,
  before: null,
  after: { month, credits: monthlyCredits, used }
})

/**
 * Publishes queued events, records the credit thresholds that accounts have reached, and deletes old events, now and at
 * intervals, in any number of processes. No tool call waits for this background work.
 */
export const layerEventUpkeep = (
  options: EventUpkeepOptions = {}
): Layer.Layer<never, never, AdminStore | LedgerStore> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const [adminStore, ledgerStore] = yield* Effect.all([AdminStore, LedgerStore])
    const retentionMs = (options.retentionDays ?? defaultEventRetentionDays) * dayMs

    /** Repeats a batch of work until the batch handles fewer than `size` items. */
    const repeatBatch = (batch: Effect.Effect<number, StoreUnavailable>, size: number): Effect.Effect<
      void,
      StoreUnavailable
    > => Effect.flatMap(batch, (count) => count < size ? Effect.void : repeatBatch(batch, size))

    const recordThresholds = Effect.gen(function*() {
      const reached = yield* ledgerStore.reachedThresholds(maxRecorded)
      if (reached.length === 0) return 0
      yield* adminStore.transact(
        Effect.flatMap(ledgerStore.markThresholds(reached), (marked) => adminStore.record(marked.map(toEvent)))
      )
      return reached.length
    })

    const repeat = (operation: string, work: Effect.Effect<void, StoreUnavailable>, intervalMs: number) =>
      work.pipe(
        Effect.catchCause((cause) => Effect.logWarning(`${operation} failed`, cause)),
        Effect.andThen(
          Effect.flatMap(
            Random.nextIntBetween(0, Math.ceil(intervalMs / 4)),
            (jitterMs) => Effect.sleep(intervalMs + jitterMs)
          )
        ),
        Effect.forever,
        Effect.forkScoped
      )

    yield* repeat(
      "Publishing queued events",
      repeatBatch(adminStore.publishQueued(maxRecorded), maxRecorded),
      options.publishIntervalMs ?? 5_000
    )
    yield* repeat(
      "Recording credit thresholds",
      repeatBatch(recordThresholds, maxRecorded),
      options.thresholdIntervalMs ?? 30_000
    )
    yield* repeat(
      "Deleting old events",
      repeatBatch(adminStore.prune(retentionMs, maxPruned), maxPruned),
      options.pruneIntervalMs ?? 600_000
    )
  }))
