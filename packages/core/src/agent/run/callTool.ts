import { Effect, Predicate, type Schema } from "effect"
import type { CallOutcome } from "../../engine/call/envelope.ts"
import { type CallRefusal, ScopeRequired } from "../../engine/call/errors.ts"
import { PublicAddress } from "../../engine/call/PublicAddress.ts"
import { thinned } from "../context/thin.ts"
import type { AskedCall } from "../LanguageModel.ts"
import { readArguments } from "../machine/asked.ts"
import type { Setup } from "../machine/state.ts"
import { type CallResult, failedCall } from "../machine/steps.ts"
import type { Workplace } from "./Workplace.ts"

/** The tool whose result is an image that the answer's reader sees. */
const chartTool = "make_chart"

/** Converts a tag to an error code: `ScopeRequired` to `scope_required`. */
const codeOf = ({ _tag }: CallRefusal): string => _tag.replaceAll(/(?<!^)[A-Z]/g, "_$&").toLowerCase()

const answered = (setup: Setup, { name }: AskedCall, { envelope: { data }, failure }: CallOutcome): CallResult => {
  const tool = setup.tools.get(name)
  // A tool's result was encoded as JSON, by its schema or as `{ error }`.
  const text = thinned(data as Schema.Json, setup.bounds.resultTokens)
  if (failure !== null) return { name, ok: false, text, credits: 0 }
  const url = name === chartTool && Predicate.hasProperty(data, "url") && Predicate.isString(data.url) ? data.url : null
  return {
    name,
    ok: true,
    text,
    credits: tool?.credits ?? 0,
    ...(url === null ? {} : { url }),
    ...(tool?.writes === true ? { wrote: true } : {})
  }
}

/**
 * Makes a call that the generation's answer pays for. The model always gets a result, also for a rejected or failed
 * call and for a bug of the tool.
 */
export const callTool = (
  { caller, generation, setup, useScope }: Workplace,
  asked: AskedCall
): Effect.Effect<CallResult> => {
  const { brief: { address, lang, principal }, conversation, id, reservation } = generation
  const { arguments: args, callId, name } = asked
  const call = caller.call({
    principal,
    language: lang,
    name,
    arguments: readArguments(args),
    payer: { reservation, call: `${id}/${callId}`, conversation }
  })
  // The key may have been revoked since the question.
  return Effect.flatMap(
    useScope(generation, name),
    (required_scope) => required_scope === null ? call : Effect.fail(new ScopeRequired({ required_scope }))
  ).pipe(
    (call) => address === undefined ? call : Effect.provideService(call, PublicAddress, address),
    Effect.map((outcome) => answered(setup, asked, outcome)),
    Effect.catch((refusal) =>
      Effect.succeed(failedCall(name, codeOf(refusal), refusal.message, refusal._tag === "StoreUnavailable"))
    ),
    // Also handles an interruption within the call. An interruption of this fibre is not caught.
    Effect.catchCause((cause) =>
      Effect.as(
        Effect.logError(`The tool ${name} broke within an answer`, cause),
        failedCall(name, "internal", "The tool broke.")
      )
    ),
    Effect.withSpan("agent.tool", { attributes: { tool: name, call: callId } }, { captureStackTrace: false })
  )
}
