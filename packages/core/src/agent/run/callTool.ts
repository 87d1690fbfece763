import { Effect, Predicate, type Schema } from "effect"
import type { CallOutcome } from "../../engine/call/envelope.ts"
import { type CallRejection, ScopeRequired } from "../../engine/call/errors.ts"
import { PublicBaseUrl } from "../../engine/call/PublicBaseUrl.ts"
import { shortenJson } from "../context/shorten.ts"
import type { RequestedCall } from "../LanguageModel.ts"
import { parseArguments } from "../machine/requestedCall.ts"
import type { Setup } from "../machine/state.ts"
import { type CallResult, makeFailedResult } from "../machine/steps.ts"
import type { RunContext } from "./RunContext.ts"

const chartToolName = "make_chart"

const toErrorCode = ({ _tag }: CallRejection): string => _tag.replaceAll(/(?<!^)[A-Z]/g, "_$&").toLowerCase()

const toCallResult = (
  setup: Setup,
  { name }: RequestedCall,
  { envelope: { data }, failure }: CallOutcome
): CallResult => {
  const tool = setup.tools.get(name)
  // A tool's result was encoded as JSON, by its schema or as `{ error }`.
  const text = shortenJson(data as Schema.Json, setup.bounds.resultTokens)
  if (failure !== null) return { name, ok: false, text, credits: 0 }
  const url = name === chartToolName && Predicate.hasProperty(data, "url") && Predicate.isString(data.url)
    ? data.url
    : null
  return {
    name,
    ok: true,
    text,
    credits: tool?.credits ?? 0,
    ...(url === null ? {} : { url }),
    ...(tool?.writes === true ? { wrote: true } : {})
  }
}

/** Calls a tool for an answer. Returns an error result if the call is rejected or fails. */
export const callTool = (
  { caller, generation, setup, useScope }: RunContext,
  requested: RequestedCall
): Effect.Effect<CallResult> => {
  const { brief: { address, lang, principal }, conversation, id, reservation } = generation
  const { arguments: args, callId, name } = requested
  const call = caller.call({
    principal,
    language: lang,
    name,
    arguments: parseArguments(args),
    payer: { reservation, call: `${id}/${callId}`, conversation }
  })
  // The API key may have been revoked since the question.
  return Effect.flatMap(
    useScope(generation, name),
    (required_scope) => required_scope === null ? call : Effect.fail(new ScopeRequired({ required_scope }))
  ).pipe(
    (call) => address === undefined ? call : Effect.provideService(call, PublicBaseUrl, address),
    Effect.map((outcome) => toCallResult(setup, requested, outcome)),
    Effect.catch((refusal) =>
      Effect.succeed(makeFailedResult(name, toErrorCode(refusal), refusal.message, refusal._tag === "StoreUnavailable"))
    ),
    // The handler also catches an interruption within the call, but not an interruption of the fibre.
    Effect.catchCause((cause) =>
      Effect.as(
        Effect.logError(`The tool ${name} failed unexpectedly within an answer`, cause),
        makeFailedResult(name, "internal", "The tool failed unexpectedly.")
      )
    ),
    Effect.withSpan("agent.tool", { attributes: { tool: name, call: callId } }, { captureStackTrace: false })
  )
}
