import { type Cause, Clock, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { Generation, StoredStep } from "../generation.ts"
import type { GenerationEnd, GenerationStore, Transcript } from "../GenerationStore.ts"
import { buildEnd } from "../machine/generationEnd.ts"
import { foldEvents } from "../machine/shownOutput.ts"
import type { RunOutcome } from "../machine/state.ts"
import { decodeSteps, type FinishedStep, noUsage } from "../machine/steps.ts"

/** Decodes stored steps, or returns an empty list for steps of an incompatible version. */
const decodeReadableSteps = (steps: ReadonlyArray<StoredStep>): ReadonlyArray<FinishedStep> => {
  try {
    return decodeSteps(steps)
  } catch {
    return []
  }
}

/** Builds the end of a generation from its stored transcript, without its runner. */
export const buildEndFromTranscript =
  (runOutcome: RunOutcome, now: number) => ({ events, generation, steps }: Transcript): GenerationEnd =>
    buildEnd({
      generation,
      runOutcome,
      shownOutput: foldEvents(events),
      finishedSteps: decodeReadableSteps(steps),
      step: 0,
      usage: noUsage,
      // A failed answer replaces no answer, so the old answer keeps its writes.
      replacedWrites: [],
      checkedFigures: null,
      disclaimer: null,
      tookMs: Math.max(now, generation.renewedAt) - generation.startedAt,
      pending: []
    })

/**
 * Ends a generation as failed after a bug in its run. Nothing is charged, and the conversation accepts new questions.
 */
export const endAfterDefect = Effect.fnUntraced(function*(
  store: GenerationStore["Service"],
  { epoch, id }: Generation,
  cause: Cause.Cause<unknown>
): Effect.fn.Return<void, StoreUnavailable> {
  yield* Effect.logError(`Generation ${id} failed unexpectedly`, cause)
  const row = yield* store.find(id)
  if (row?.state !== "running" || row.epoch !== epoch) return
  const now = yield* Clock.currentTimeMillis
  yield* store.forceEnd(id, buildEndFromTranscript({ outcome: "failed", failure: "answer_broken" }, now))
})
