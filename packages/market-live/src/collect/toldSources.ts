import type { DocumentRow, Fence, MarketStore, Superseded } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { SourceState } from "../source/index.ts"
import { sourceStateDocument } from "../stored/documents.ts"

/** The interval at which an unavailable source is published, and the age at which a published state is ignored. */
const everyMs = 10_000
export const toldForMs = 60_000

const ownName = (source: string): string => source.split("/")[0]!

const rowOf = ({ lastFault, limitedUntil, source, state }: SourceState, time: number): DocumentRow =>
  sourceStateDocument.rowOf({ key: source, time, source: ownName(source) }, {
    isUp: state === "up",
    failure: lastFault?.failure ?? null,
    reason: lastFault?.reason ?? "",
    limitedUntil
  })

/**
 * Publishes the state of a source that this process leads to the other processes: repeatedly while it is unavailable,
 * and once when it is available again. The other processes do not poll the source. Without its state, they could not
 * distinguish unrecorded data from data that does not exist.
 */
export const tellingOthers = (
  { fence, source, states, store }: {
    readonly source: string
    readonly fence: Fence
    readonly store: MarketStore["Service"]
    readonly states: Effect.Effect<ReadonlyArray<SourceState>>
  }
): Effect.Effect<never, Superseded> => {
  const up = new Set<string>()
  const once = Effect.gen(function*() {
    const now = Math.floor(yield* Clock.currentTimeMillis)
    const own = (yield* states).filter((one) => ownName(one.source) === source && one.state !== "unknown")
    const news = own.filter(({ source, state }) => state !== "up" || !up.has(source))
    if (news.length === 0) return
    const documents = news.map((one) => rowOf(one, now))
    yield* store.writeDocuments({ kind: sourceStateDocument.kind, fence, documents, now })
    for (const { source, state } of news) {
      if (state === "up") up.add(source)
      else up.delete(source)
    }
  })
  // A state that the store does not accept is published again soon. The collectors report the store's failure.
  const patient = Effect.catchTags(once, {
    StoreUnavailable: () => Effect.void,
    MarketStoreRefusal: (error) => Effect.logError("The market store does not take how a source does", error.message)
  })
  return Effect.forever(Effect.andThen(patient, Effect.sleep(everyMs)))
}
