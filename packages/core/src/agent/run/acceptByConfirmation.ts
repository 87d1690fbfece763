import { Effect, Predicate, Schedule, type Schema } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { AnswerInputs } from "../context/answerInputs.ts"
import type { Generation } from "../generation.ts"
import type { AcceptedCall } from "../LanguageModel.ts"
import { acceptProposal, type ProposalServices } from "../service/proposals.ts"
import { retryWhileUnavailable } from "./FencedWriter.ts"

/** Waits for the end of an acceptance that another process has begun, for about a minute. */
const retryPolicy = {
  schedule: Schedule.spaced("2 seconds"),
  times: 30,
  while: Predicate.isTagged("RequestInProgress")
} as const

/**
 * Accepts the proposal that the question of a generation confirms. Returns the proposal with its result, or null if the
 * question confirms no proposal. A proposal counts as confirmed only if no message came between its answer and the
 * question. A run that continues after a crash completes the acceptance of the earlier run.
 */
export const acceptByConfirmation = Effect.fnUntraced(function*(
  services: ProposalServices,
  { brief: { accepts, principal, replaces } }: Generation,
  { history, proposals }: Pick<AnswerInputs, "history" | "proposals">
): Effect.fn.Return<AcceptedCall | null, StoreUnavailable> {
  const proposal = proposals.find(({ id }) => id === accepts)
  if (proposal === undefined || replaces !== null || history.at(-1)?.id !== proposal.message) return null
  const { arguments: args, id, summary, tool } = proposal
  const toCall = (ok: boolean, result: Schema.Json): AcceptedCall => ({ tool, arguments: args, summary, ok, result })
  const toError = (code: string, message: string) => toCall(false, { error: { code, message } })
  return yield* retryWhileUnavailable(acceptProposal(services, principal, id)).pipe(
    Effect.retry(retryPolicy),
    Effect.map(({ failure, proposal: { result } }) => {
      const error = failure ?? result?.error ?? null
      return error === null ? toCall(true, result?.envelope ?? null) : toError(error.code, error.message)
    }),
    Effect.catchIf(
      (error) => error._tag !== "StoreUnavailable",
      (error) => Effect.succeed(toError(error._tag, error.message))
    )
  )
})
