import { Effect, Schema } from "effect"
import { type IdempotencyState, maxResponseBytes } from "../credits/LedgerStore.ts"
import type { CompiledTool } from "./compiledTool.ts"
import type { CallOutcome, Envelope } from "./envelope.ts"
import { IdempotencyKeyReused, RequestInProgress } from "./errors.ts"

/** A stored envelope. It always belongs to a successful call that paid for itself. */
const StoredEnvelope = Schema.fromJsonString(Schema.Struct({
  tool: Schema.String,
  credits_used: Schema.Int,
  credits_left: Schema.Int,
  took_ms: Schema.Finite,
  data: Schema.Unknown
}))

const decodeStoredEnvelope = Schema.decodeUnknownEffect(StoredEnvelope)
const encoder = new TextEncoder()

/**
 * Encodes an envelope for replays. An envelope that is too long to store is a defect, because it could not be replayed.
 */
export const encodeForReplay = (envelope: Envelope): Effect.Effect<string> => {
  const text = JSON.stringify(envelope)
  return encoder.encode(text).length <= maxResponseBytes
    ? Effect.succeed(text)
    : Effect.die(new Error(`the result of ${envelope.tool} is longer than ${maxResponseBytes} bytes`))
}

/**
 * Computes the wait before a retry, in ms, for a running call with `lapsesInMs` left of its lease. The wait is about as
 * long as the call has run, since a call that has run for long rarely ends in a moment. The call of a dead process
 * never ends.
 */
const retryAfterMs = (leaseMs: number, lapsesInMs: number): number =>
  Math.max(1, Math.min(lapsesInMs, 10_000, Math.max(1000, leaseMs - lapsesInMs)))

/**
 * Returns the outcome for an idempotency key that is already used. A stored response of another version of the tool is
 * replayed unchanged, even if it does not match the current schema. The caller paid for that response, and a repeat
 * must return the first response. A typed call then fails with `AnswerUnreadable`. Stored data that is not an envelope
 * is a defect.
 */
export const replayOutcome = Effect.fnUntraced(function*(
  tool: CompiledTool,
  state: IdempotencyState,
  leaseMs: number
): Effect.fn.Return<CallOutcome, RequestInProgress | IdempotencyKeyReused> {
  switch (state._tag) {
    case "Replayed": {
      const envelope = yield* Effect.mapError(
        decodeStoredEnvelope(state.response),
        () => new Error(`what is kept as an answer of ${tool.specification.name} is none`)
      ).pipe(Effect.orDie)
      if (!(yield* tool.isResult(envelope.data))) {
        yield* Effect.logWarning(`An answer of ${envelope.tool} that another version kept is replayed as it was`)
      }
      return { envelope, failure: null, replayed: true }
    }
    case "InProgress":
      return yield* new RequestInProgress({ retryAfterMs: retryAfterMs(leaseMs, state.lapsesInMs) })
    case "Reused":
      return yield* new IdempotencyKeyReused()
  }
})
