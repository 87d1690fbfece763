import type { DocumentRow, Fence, MarketStore, Superseded } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { SourceState } from "../source/index.ts"
import { sourceStateDocument } from "../stored/documents.ts"

/**
 * The states of unavailable sources are published every `publishIntervalMs`. A published state that is older than
 * `maxStateAgeMs` is ignored.
 */
const publishIntervalMs = 10_000
export const maxStateAgeMs = 60_000

const venueNameOf = (source: string): string => source.split("/")[0]!

const rowOf = ({ lastFault, limitedUntil, source, state }: SourceState, time: number): DocumentRow =>
  sourceStateDocument.encodeRow({ key: source, time, source: venueNameOf(source) }, {
    isUp: state === "up",
    failure: lastFault?.failure ?? null,
    reason: lastFault?.reason ?? "",
    limitedUntil
  })

/**
 * Publishes the state of a source for processes that do not poll the source. From the published state, other processes
 * can distinguish unrecorded data from nonexistent data.
 */
export const publishSourceStates = (
  { fence, source, states, store }: {
    readonly source: string
    readonly fence: Fence
    readonly store: MarketStore["Service"]
    readonly states: Effect.Effect<ReadonlyArray<SourceState>>
  }
): Effect.Effect<never, Superseded> => {
  const available = new Set<string>()
  const publishOnce = Effect.gen(function*() {
    const now = Math.floor(yield* Clock.currentTimeMillis)
    const own = (yield* states).filter((one) => venueNameOf(one.source) === source && one.state !== "unknown")
    const changed = own.filter(({ source, state }) => state !== "up" || !available.has(source))
    if (changed.length === 0) return
    const documents = changed.map((one) => rowOf(one, now))
    yield* store.writeDocuments({ kind: sourceStateDocument.kind, fence, documents, now })
    for (const { source, state } of changed) {
      if (state === "up") available.add(source)
      else available.delete(source)
    }
  })
  // If the store rejects a state, the state is published again at the next interval.
  const publishTolerantly = Effect.catchTags(publishOnce, {
    StoreUnavailable: () => Effect.void,
    MarketStoreRefusal: (error) => Effect.logError("The market store rejected the state of a source", error.message)
  })
  return Effect.forever(Effect.andThen(publishTolerantly, Effect.sleep(publishIntervalMs)))
}
