import { Effect, Schema } from "effect"
import { formatCallId } from "../credits/callId.ts"
import { addCreditsLeft } from "../credits/charge.ts"
import { type IdempotencyState, maxResponseBytes } from "../credits/LedgerStore.ts"
import type { CompiledTool } from "./compiledTool.ts"
import type { CallOutcome, Envelope } from "./envelope.ts"
import { IdempotencyKeyReused, RequestInProgress } from "./errors.ts"

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
 * Encodes an envelope for storage under an idempotency key, or dies if the envelope is too long. `credits_left` may be
 * missing if the store adds it.
 */
export const encodeForReplay = (envelope: Envelope): Effect.Effect<string> => {
  const text = JSON.stringify(envelope)
  const missing = envelope.credits_left === undefined ? addCreditsLeft("{", Number.MAX_SAFE_INTEGER).length - 1 : 0
  return encoder.encode(text).length + missing <= maxResponseBytes
    ? Effect.succeed(text)
    : Effect.die(new Error(`the result of ${envelope.tool} is longer than ${maxResponseBytes} bytes`))
}

/**
 * Returns the time in ms after which a caller should retry a call that is still running. The result is the duration of
 * the call so far, but at least 1 s and at most 10 s. The returned time is at most `lapsesInMs`, because the
 * reservation of a crashed process lapses then.
 */
const retryAfterMs = (leaseMs: number, lapsesInMs: number): number =>
  Math.max(1, Math.min(lapsesInMs, 10_000, Math.max(1000, leaseMs - lapsesInMs)))

/**
 * Returns the outcome of an idempotency key that is already used. A stored response is returned unchanged, even if it
 * no longer matches the tool's result schema, because the caller has paid for it. A stored response that is not an
 * envelope is a defect.
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
        () => new Error(`the stored response of ${tool.specification.name} is invalid`)
      ).pipe(Effect.orDie)
      if (!(yield* tool.isResult(envelope.data))) {
        yield* Effect.logWarning(`A response of ${envelope.tool} that another version stored is replayed unchanged`)
      }
      return { envelope, failure: null, replayed: true, callId: formatCallId(state.call) }
    }
    case "InProgress":
      return yield* new RequestInProgress({ retryAfterMs: retryAfterMs(leaseMs, state.lapsesInMs) })
    case "Reused":
      return yield* new IdempotencyKeyReused()
  }
})
