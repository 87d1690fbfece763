import { Effect, Result } from "effect"
import { normalizeArguments } from "../../engine/call/compiledTool.ts"
import { ScopeRequired } from "../../engine/call/errors.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { ReadyTool } from "../../engine/tool/implement.ts"
import type { RequestedCall } from "../LanguageModel.ts"
import { describeCall } from "../machine/describeCall.ts"
import { isFullyVisible, makeProposedResult, maxProposalLength } from "../machine/proposals.ts"
import { parseArguments } from "../machine/requestedCall.ts"
import { type CallResult, makeFailedResult } from "../machine/steps.ts"
import type { RunContext } from "./RunContext.ts"

const checkCall = Effect.fnUntraced(function*(
  { generation, useScope }: RunContext,
  tool: ReadyTool,
  { arguments: args, name }: RequestedCall
) {
  const { account, brief: { lang } } = generation
  const rejectInvalid = (message: string) => makeFailedResult(name, "invalid_arguments", message)
  const normalized = normalizeArguments(tool, parseArguments(args), lang)
  if (Result.isFailure(normalized)) {
    const faults = normalized.failure.join("; ")
    return rejectInvalid(formatMessage({ key: "answer_propose_faults", params: { tool: name, faults } }, lang))
  }
  const { decoded, encoded } = normalized.success
  const lostScope = yield* useScope(generation, name)
  if (lostScope !== null) {
    return makeFailedResult(name, "scope_required", new ScopeRequired({ required_scope: lostScope }).message)
  }
  const version = yield* tool.handler.readVersion?.(decoded, account) ?? Effect.succeed(null)
  const proposal = { arguments: encoded, summary: describeCall(name, encoded, lang), version }
  return isFullyVisible(proposal)
    ? makeProposedResult(name, proposal, lang)
    : rejectInvalid(formatMessage({ key: "answer_propose_hidden", params: { limit: maxProposalLength } }, lang))
})

/**
 * Checks a call that becomes a proposal, and reads the version of the record that the call changes. Writes nothing.
 * Returns an error result if the call cannot be proposed.
 */
export const proposeCall = (context: RunContext, tool: ReadyTool, call: RequestedCall): Effect.Effect<CallResult> => {
  const { generation: { brief: { lang } } } = context
  const { name } = call
  return checkCall(context, tool, call).pipe(
    Effect.catchTags({
      ToolFailure: ({ callerMessage, code, retryable }) => {
        const message = typeof callerMessage === "string" ? callerMessage : formatMessage(callerMessage, lang)
        return Effect.succeed(makeFailedResult(name, code, message, retryable))
      },
      StoreUnavailable: ({ message }) => Effect.succeed(makeFailedResult(name, "store_unavailable", message, true))
    }),
    // The handler does not catch an interruption of the fibre.
    Effect.catchCause((cause) =>
      Effect.as(
        Effect.logError(`A proposed call of ${name} could not be checked`, cause),
        makeFailedResult(name, "internal", "The call could not be checked.")
      )
    ),
    Effect.withSpan("agent.propose", { attributes: { tool: name, call: call.callId } }, { captureStackTrace: false })
  )
}
