import type { Fence, MarketStore, Superseded } from "@tapeline/core/market/store"
import { Clock, Effect, Result } from "effect"
import type { Collecting } from "./Collecting.ts"
import type { DocumentsCollector } from "./collector.ts"
import { type CollectPace, type Ended, pauseAfter } from "./pacing.ts"

interface Collects {
  readonly collector: DocumentsCollector
  readonly fence: Fence
  readonly store: MarketStore["Service"]
  readonly collecting: Collecting
  readonly pace: CollectPace
}

/** Collects the newest documents on a grid, under one lead, for ever. */
export const collectDocuments = (
  { collecting, collector, fence, pace, store }: Collects
): Effect.Effect<never, Superseded> => {
  const once = Effect.gen(function*(): Effect.fn.Return<Ended, Superseded> {
    const asked = yield* Effect.result(collector.ask)
    if (Result.isFailure(asked)) {
      yield* collecting.sourceFailed(asked.failure)
      return "failed"
    }
    const { documents, faults } = asked.success
    for (const fault of faults) yield* collecting.sourceFailed(fault)
    const now = Math.floor(yield* Clock.currentTimeMillis)
    const written = yield* Effect.result(store.writeDocuments({ kind: collector.kind, fence, documents, now }))
    if (Result.isSuccess(written)) {
      yield* collecting.wrote(written.success.changed)
      if (faults.length === 0) yield* collecting.isWhole(yield* Clock.currentTimeMillis)
      return faults.length === 0 ? "whole" : "failed"
    }
    const error = written.failure
    if (error._tag === "Superseded") return yield* error
    yield* collecting.failed(error._tag === "StoreUnavailable" ? "store" : "refused", error.message)
    return "failed"
  })
  const forever = Effect.forever(
    Effect.flatMap(
      once,
      (ended) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(pauseAfter(ended, collector, pace, now)))
    )
  )
  return Effect.andThen(collector.begin ?? Effect.void, forever)
}
