import { Effect, Schema } from "effect"
import { maxAnswerBytes, type Recollection } from "../credits/LedgerStore.ts"
import type { CallableTool } from "./callable.ts"
import type { CallOutcome, Envelope } from "./envelope.ts"
import { IdempotencyKeyReused, RequestInProgress } from "./errors.ts"

/** An envelope as it is kept: always one of a call that answered and paid for itself. */
const KeptEnvelope = Schema.fromJsonString(Schema.Struct({
  tool: Schema.String,
  credits_used: Schema.Int,
  credits_left: Schema.Int,
  took_ms: Schema.Finite,
  data: Schema.Unknown
}))

const decodeKept = Schema.decodeUnknownEffect(KeptEnvelope)
const encoder = new TextEncoder()

/** An envelope as it is kept for a replay. One too long to be kept could not be replayed, so it is a defect instead. */
export const storable = (envelope: Envelope): Effect.Effect<string> => {
  const text = JSON.stringify(envelope)
  return encoder.encode(text).length <= maxAnswerBytes
    ? Effect.succeed(text)
    : Effect.die(new Error(`the result of ${envelope.tool} is longer than ${maxAnswerBytes} bytes`))
}

/**
 * How long to wait for a call that runs already, of which `lapsesInMs` of its lease are left: about as long again as it
 * has run, since what has run for long is rarely done in a moment, and that of a process that is gone never is.
 */
const retryAfterMs = (leaseMs: number, lapsesInMs: number): number =>
  Math.max(1, Math.min(lapsesInMs, 10_000, Math.max(1000, leaseMs - lapsesInMs)))

/**
 * What a call comes to whose idempotency key is known. An answer that another version of the tool gave, and that this
 * one's schema no longer holds, is given all the same, as it was: it is what was paid for, and a repeat is promised the
 * first answer. (A typed call makes no promise of its type then: `AnswerUnreadable`.) What is no envelope at all was
 * never written here, and is a defect.
 */
export const recalled = Effect.fnUntraced(function*(
  tool: CallableTool,
  found: Recollection,
  leaseMs: number
): Effect.fn.Return<CallOutcome, RequestInProgress | IdempotencyKeyReused> {
  switch (found._tag) {
    case "Replayed": {
      const envelope = yield* Effect.mapError(
        decodeKept(found.answer),
        () => new Error(`what is kept as an answer of ${tool.specification.name} is none`)
      ).pipe(Effect.orDie)
      if (!(yield* tool.isResult(envelope.data))) {
        yield* Effect.logWarning(`An answer of ${envelope.tool} that another version kept is replayed as it was`)
      }
      return { envelope, failure: null, replayed: true }
    }
    case "InProgress":
      return yield* new RequestInProgress({ retryAfterMs: retryAfterMs(leaseMs, found.lapsesInMs) })
    case "Reused":
      return yield* new IdempotencyKeyReused()
  }
})
