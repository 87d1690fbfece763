import type { Fence, MarketStore, Superseded } from "@tapeline/core/market/store"
import { Clock, Effect, Result } from "effect"
import type { DocumentsCollector } from "./collector.ts"
import type { CollectorMonitor } from "./CollectorMonitor.ts"
import { type CollectPace, pauseAfter, type TickOutcome } from "./CollectPace.ts"

interface CollectContext {
  readonly collector: DocumentsCollector
  readonly fence: Fence
  readonly store: MarketStore["Service"]
  readonly monitor: CollectorMonitor
  readonly pace: CollectPace
}

/** Collects the newest documents at regular intervals while the process leads the source. */
export const collectDocuments = (
  { monitor, collector, fence, pace, store }: CollectContext
): Effect.Effect<never, Superseded> => {
  const collectOnce = Effect.gen(function*(): Effect.fn.Return<TickOutcome, Superseded> {
    const response = yield* Effect.result(collector.fetch)
    if (Result.isFailure(response)) {
      yield* monitor.recordSourceFailure(response.failure)
      return "failed"
    }
    const { documents, faults } = response.success
    for (const fault of faults) yield* monitor.recordSourceFailure(fault)
    const now = Math.floor(yield* Clock.currentTimeMillis)
    const written = yield* Effect.result(store.writeDocuments({ kind: collector.kind, fence, documents, now }))
    if (Result.isSuccess(written)) {
      yield* monitor.countWritten(written.success.changed)
      if (faults.length === 0) yield* monitor.recordComplete(yield* Clock.currentTimeMillis)
      return faults.length === 0 ? "whole" : "failed"
    }
    const error = written.failure
    if (error._tag === "Superseded") return yield* error
    yield* monitor.recordFailure(error._tag === "StoreUnavailable" ? "store" : "refused", error.message)
    return "failed"
  })
  const collectForever = Effect.forever(
    Effect.flatMap(
      collectOnce,
      (ended) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(pauseAfter(ended, collector, pace, now)))
    )
  )
  return Effect.andThen(collector.reset ?? Effect.void, collectForever)
}
