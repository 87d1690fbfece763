import { type Clock, Effect } from "effect"
import { formatCallId } from "../credits/callId.ts"
import type { Ledger } from "../credits/Ledger.ts"
import type { Admission, Idempotency } from "../credits/reservation.ts"
import type { Language } from "../messages/languageCode.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { ToolFailure } from "../tool/failure.ts"
import type { CallParts } from "./CallContext.ts"
import { type Commitment, type CompiledTool, timeoutFailure } from "./compiledTool.ts"
import { type CallOutcome, type Envelope, makeFailedOutcome } from "./envelope.ts"
import { ChargeInDoubt } from "./errors.ts"
import { encodeForReplay } from "./replay.ts"
import type { AcceptedProposal, CallOptions, Payer } from "./request.ts"

/** A call that passed all checks, but has neither reserved credits nor run. */
export interface CheckedCall {
  readonly tool: CompiledTool
  readonly args: unknown
  readonly principal: CallOptions["principal"]
  readonly language: Language
  readonly idempotency: Idempotency | null
  /** Commits the call; undefined for a tool without `completesWhenAbandoned`. */
  readonly commitment: Commitment | undefined
  /** The start of the call, in epoch ms. */
  readonly startedAt: number
  /** Creates functions with which the tool calls other tools. `payer` is charged for these calls. */
  readonly makeParts: (payer: Payer) => CallParts
  readonly proposal: AcceptedProposal | undefined
}

type Admitted = Extract<Admission, { readonly _tag: "Admitted" }>

/** Returns the time in ms since `startedAt`, or 0 if the clock was set back. */
const elapsedMs = (clock: Clock.Clock, startedAt: number): number =>
  Math.max(0, clock.currentTimeMillisUnsafe() - startedAt)

export const withElapsedMs = <A, E>(
  startedAt: number,
  next: (took_ms: number) => Effect.Effect<A, E>
): Effect.Effect<A, E> => Effect.clockWith((clock) => next(elapsedMs(clock, startedAt)))

const releaseFailed = (
  ledger: Ledger["Service"],
  { language, tool: { specification } }: CheckedCall,
  admission: Admitted,
  failure: ToolFailure,
  took_ms: number
): Effect.Effect<CallOutcome> =>
  Effect.uninterruptible(ledger.release(admission.reservation)).pipe(
    // Nothing is charged, even if the store is unavailable: the ledger retries the release, or the reservation lapses.
    Effect.catchTag(
      "StoreUnavailable",
      () => Effect.succeed({ creditsLeft: admission.creditsLeft + specification.credits })
    ),
    Effect.map(({ creditsLeft }) =>
      makeFailedOutcome(
        { tool: specification.name, credits_left: creditsLeft, took_ms },
        failure,
        language,
        formatCallId(admission.reservation)
      )
    )
  )

const settle = (
  ledger: Ledger["Service"],
  { language, tool }: CheckedCall,
  { reservation }: Admitted,
  envelope: Envelope,
  response: string | null
): Effect.Effect<CallOutcome, ChargeInDoubt> => {
  const { took_ms } = envelope
  const callId = formatCallId(reservation)
  return Effect.matchEffect(Effect.uninterruptible(ledger.settle(reservation, response)), {
    onFailure: (cause) => Effect.fail(new ChargeInDoubt({ cause })),
    onSuccess: ({ _tag, creditsLeft }) =>
      _tag === "Ended"
        ? tool.countCall("ok", took_ms, Effect.succeed({ envelope, failure: null, replayed: false, callId }))
        // The reservation lapsed while the call ran, because the process was frozen for longer than the lease. Nothing
        // is charged.
        : tool.countCall(
          "failed",
          took_ms,
          Effect.succeed(
            makeFailedOutcome(
              { tool: envelope.tool, credits_left: creditsLeft, took_ms },
              timeoutFailure(tool),
              language,
              callId
            )
          )
        )
  })
}

/** Runs a call whose reservation was admitted, and settles the reservation, or releases it if the call failed. */
export const runAdmitted = (
  ledger: Ledger["Service"],
  call: CheckedCall,
  admission: Admitted
): Effect.Effect<CallOutcome, StoreUnavailable | ChargeInDoubt> => {
  const { args, commitment, idempotency, language, makeParts, principal, proposal, startedAt, tool } = call
  const { creditsLeft: credits_left, reservation } = admission
  const { credits: credits_used, name } = tool.specification
  return Effect.flatMap(
    tool.run(args, {
      principal,
      language,
      callId: `${reservation.origin}`,
      limitMs: tool.limitMs,
      commit: commitment?.commit,
      conversation: proposal?.conversation ?? null,
      recordVersion: proposal?.recordVersion ?? undefined,
      parts: makeParts({ reservation, call: "parts" })
    }, commitment),
    (toolResult) =>
      withElapsedMs(startedAt, (took_ms) => {
        if (toolResult._tag === "Failure") {
          return tool.countCall("failed", took_ms, releaseFailed(ledger, call, admission, toolResult.failure, took_ms))
        }
        const envelope: Envelope = { tool: name, credits_used, credits_left, took_ms, data: toolResult.success }
        return idempotency === null
          ? settle(ledger, call, admission, envelope, null)
          : Effect.flatMap(encodeForReplay(envelope), (response) => settle(ledger, call, admission, envelope, response))
      })
  )
}
