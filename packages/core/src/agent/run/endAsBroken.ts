import { type Cause, Clock, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { Generation, StoredStep } from "../generation.ts"
import type { End, GenerationStore, Transcript } from "../GenerationStore.ts"
import { endOf } from "../machine/ending.ts"
import { shownOf } from "../machine/shown.ts"
import type { Verdict } from "../machine/state.ts"
import { type DoneStep, doneSteps, noUsage } from "../machine/steps.ts"

/** Decodes stored steps if possible. Steps of another version must not prevent the end of a generation. */
const readable = (steps: ReadonlyArray<StoredStep>): ReadonlyArray<DoneStep> => {
  try {
    return doneSteps(steps)
  } catch {
    return []
  }
}

/** Builds the end of a generation that its runner does not end, from the contents of the store. */
export const endFromTranscript = (verdict: Verdict, now: number) => ({ events, generation, steps }: Transcript): End =>
  endOf({
    generation,
    verdict,
    shown: shownOf(events),
    done: readable(steps),
    step: 0,
    usage: noUsage,
    // The writes of the replaced answer stay with that answer.
    carried: [],
    tookMs: Math.max(now, generation.renewedAt) - generation.startedAt,
    pending: []
  })

/** Ends a generation as failed after a bug in its run. Nothing is charged, and the conversation stays usable. */
export const endAsBroken = Effect.fnUntraced(function*(
  store: GenerationStore["Service"],
  { epoch, id }: Generation,
  cause: Cause.Cause<unknown>
): Effect.fn.Return<void, StoreUnavailable> {
  yield* Effect.logError(`The run of generation ${id} broke`, cause)
  const row = yield* store.find(id)
  if (row?.state !== "running" || row.epoch !== epoch) return
  const now = yield* Clock.currentTimeMillis
  yield* store.endAnyway(id, endFromTranscript({ outcome: "failed", failure: "answer_broken" }, now))
})
