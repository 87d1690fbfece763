import { Clock, Effect } from "effect"
import type { Ledger } from "../credits/Ledger.ts"
import type { Admission, Idempotency } from "../credits/LedgerStore.ts"
import type { Language } from "../messages/languageCode.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { ToolFailure } from "../tool/failure.ts"
import { type CallableTool, timedOut } from "./callable.ts"
import { type CallOutcome, type Envelope, failedOutcome } from "./envelope.ts"
import { ChargeInDoubt } from "./errors.ts"
import { storable } from "./recollection.ts"
import type { CallOptions } from "./request.ts"

/** A call that has been judged, and only needs to be paid for. */
export interface JudgedCall {
  readonly tool: CallableTool
  /** Decoded. */
  readonly args: unknown
  readonly principal: CallOptions["principal"]
  readonly language: Language
  readonly idempotency: Idempotency | null
  /** Epoch ms. */
  readonly startedAt: number
}

type Admitted = Extract<Admission, { readonly _tag: "Admitted" }>

/** Milliseconds since `startedAt`; 0 when the clock was set back. */
export const elapsedMs = (startedAt: number): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - startedAt))

/** A call that could not be answered: its reservation is given back. */
const releaseFailed = Effect.fnUntraced(function*(
  ledger: Ledger["Service"],
  { language, tool: { measure, specification } }: JudgedCall,
  admitted: Admitted,
  failure: ToolFailure,
  took_ms: number
) {
  yield* measure("failed", took_ms)
  // Uncharged either way: a release in doubt is tried again behind this call, or the reservation lapses.
  const { creditsLeft } = yield* Effect.uninterruptible(ledger.release(admitted.reservation)).pipe(
    Effect.catchTag(
      "StoreUnavailable",
      () => Effect.succeed({ creditsLeft: admitted.creditsLeft + specification.credits })
    )
  )
  return failedOutcome({ tool: specification.name, credits_left: creditsLeft, took_ms }, failure, language)
})

const orInDoubt = <A>(settlement: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A, ChargeInDoubt> =>
  Effect.mapError(settlement, (cause) => new ChargeInDoubt({ cause }))

/**
 * Runs an admitted call, and settles or releases it by what it came to: one that was answered is charged, and under an
 * idempotency key its answer is kept.
 */
export const runAdmitted = Effect.fnUntraced(function*(
  ledger: Ledger["Service"],
  call: JudgedCall,
  admitted: Admitted
): Effect.fn.Return<CallOutcome, StoreUnavailable | ChargeInDoubt> {
  const { args, idempotency, language, principal, startedAt, tool } = call
  const { creditsLeft: credits_left, reservation } = admitted
  const { credits: credits_used, name } = tool.specification
  const ran = yield* tool.run(args, { principal, language, callId: `${reservation.origin}` })
  const took_ms = yield* elapsedMs(startedAt)
  if (ran._tag === "Failure") return yield* releaseFailed(ledger, call, admitted, ran.failure, took_ms)

  const envelope: Envelope = { tool: name, credits_used, credits_left, took_ms, data: ran.success }
  const answer = idempotency === null ? null : yield* storable(envelope)
  const ending = yield* Effect.uninterruptible(orInDoubt(ledger.settle(reservation, answer)))
  if (ending._tag === "Ended") {
    yield* tool.measure("ok", took_ms)
    return { envelope, failure: null, replayed: false }
  }
  // The reservation lapsed while the call ran (a process frozen for longer than its lease): nothing is charged.
  yield* tool.measure("failed", took_ms)
  return failedOutcome({ tool: name, credits_left: ending.creditsLeft, took_ms }, timedOut(tool), language)
})
