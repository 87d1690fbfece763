import { CutOff, makeProblem, type Rejection } from "@tapeline/api"
import {
  type Analyst,
  type CallOutcome,
  type CatalogueEntry,
  filterCatalogue,
  formatCallId,
  formatMessage,
  type Generation,
  type Issue,
  pricedOperations,
  type Principal,
  type ToolCaller
} from "@tapeline/core"
import type { CallResponse, FailureReason, Question, QuestionSignals, Service } from "@tapeline/mcp"
import { type Cause, Effect, Exit, Stream } from "effect"
import type { RequestContext } from "../requestContext.ts"

/** The services that the MCP bridge calls to answer requests. */
export interface Engine {
  readonly toolCaller: ToolCaller["Service"]
  readonly analyst: Analyst["Service"] | undefined
  readonly entries: ReadonlyArray<CatalogueEntry>
  readonly stopping: Effect.Effect<void>
  /** Returns the progress message of an answer's event, or undefined if the event contains no progress. */
  readonly progressOf: (kind: string, data: object) => string | undefined
}

export interface RequestCaller {
  readonly principal: Principal
  readonly requestContext: RequestContext
  readonly idempotencyKey: string | undefined
  readonly issues: ReadonlyArray<Issue>
  /** Runs an effect for a caller who waits for an answer. Fails as soon as the caller may no longer read the answer. */
  readonly whileAuthorized: <A, E>(generation: Generation, effect: Effect.Effect<A, E>) => Effect.Effect<A, unknown>
}

/** Runs an effect as part of a request. Rejects with a service error or with the signal's abort reason. */
export type RunEffect = <A>(effect: Effect.Effect<A, unknown>, signal: AbortSignal) => Promise<A>

/** Converts a rejected request to problem details for the MCP bridge, in the language of the request. */
export const rejectionProblem = (rejection: Rejection, { language, requestId }: RequestContext) => ({
  kind: "refused" as const,
  problem: { ...makeProblem(rejection, requestId, (message) => formatMessage(message, language)).problem }
})

const failedCall = ({ callId, failure }: CallOutcome): FailureReason | undefined =>
  failure === null ? undefined : { kind: "failed", ...failure, call_id: callId ?? undefined }

const successfulCall = ({ callId, envelope }: CallOutcome): CallResponse => {
  const { credits_left, credits_used, data, tool } = envelope
  if (credits_left === undefined || callId === null) throw new Error(`the call of ${tool} has no reservation`)
  return { data, credits_used, credits_left, call_id: callId }
}

/**
 * Starts an answer and waits for the end of the answer. Stops waiting when the caller loses access or the process
 * begins to stop. If the caller stops waiting, the answer continues and is stored in its conversation.
 */
const runQuestion = (
  { analyst, progressOf, stopping }: Engine & { readonly analyst: Analyst["Service"] },
  { requestContext, idempotencyKey, issues, principal, whileAuthorized }: RequestCaller,
  question: Question,
  { cancelled, onProgress }: QuestionSignals
) => {
  const followToEnd = (generation: Generation) =>
    Effect.andThen(
      Stream.runForEach(analyst.follow(generation.id, 0), ({ data, kind }) =>
        Effect.sync(() => {
          if (kind === "delta" || kind === "reasoning") return
          // The cast is safe, because the data of every logged event is an object.
          const progress = progressOf(kind, JSON.parse(data) as object)
          if (progress !== undefined) onProgress(progress)
        })),
      Effect.map(
        analyst.awaitAnswer(generation),
        (answer) => ({ ...answer, call_id: formatCallId(generation.reservation) })
      )
    )
  const failWhenStopping = Effect.andThen(stopping, Effect.fail(new CutOff()))
  const cancel = (generation: Generation) =>
    Effect.suspend(() => cancelled.aborted ? analyst.cancel(principal, generation.conversation) : Effect.void).pipe(
      Effect.ignore
    )
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      analyst.start({ principal, language: requestContext.language, idempotencyKey, request: question, issues }),
      ({ generation }) =>
        restore(Effect.raceFirst(whileAuthorized(generation, followToEnd(generation)), failWhenStopping)).pipe(
          Effect.onInterrupt(() => cancel(generation))
        )
    )
  )
}

const noAnalyst: FailureReason = {
  kind: "refused",
  problem: { code: "unknown_tool", detail: "This service has no analyst." }
}

/**
 * Creates the `Service` that the MCP bridge uses for the caller of one request. The MCP bridge applies the same checks
 * and returns the same results as the REST API.
 */
export const makeEngineService = (
  engine: Engine,
  requestCaller: RequestCaller,
  runEffect: RunEffect,
  toError: (failure: FailureReason) => Error
): Service => {
  const { analyst, toolCaller, entries } = engine
  const { requestContext, idempotencyKey, issues, principal } = requestCaller
  const { scopes } = principal
  const catalogue = {
    tools: filterCatalogue(entries, scopes),
    operations: analyst === undefined ? [] : pricedOperations.filter(({ scope }) => scopes.includes(scope))
  }
  return {
    catalogue: () => Promise.resolve(catalogue),
    call: async (name, args, signal) => {
      const { language } = requestContext
      const call = toolCaller.call({ principal, name, arguments: args, language, idempotencyKey, issues })
      const outcome = await runEffect(call, signal)
      const failure = failedCall(outcome)
      if (failure !== undefined) throw toError(failure)
      return successfulCall(outcome)
    },
    ask: (question, asking) => {
      if (analyst === undefined) return Promise.reject(toError(noAnalyst))
      const { cancelled, disconnected } = asking
      const abandoned = disconnected === undefined ? cancelled : AbortSignal.any([cancelled, disconnected])
      return runEffect(runQuestion({ ...engine, analyst }, requestCaller, question, asking), abandoned)
    },
    acceptProposal: async (id, signal) => {
      if (analyst === undefined) throw toError(noAnalyst)
      const { failure, proposal } = await runEffect(analyst.acceptProposal(principal, id), signal)
      const { arguments: args, result, state, summary, tool } = proposal
      return {
        id,
        tool,
        arguments: args,
        summary,
        state,
        envelope: result?.envelope ?? null,
        error: result?.error ?? failure
      }
    }
  }
}

export const makeRunEffect = (
  runExit: <A>(effect: Effect.Effect<A, unknown>, signal: AbortSignal) => Promise<Exit.Exit<A, unknown>>,
  toError: (cause: Cause.Cause<unknown>) => Error
): RunEffect =>
async (effect, signal) => {
  const result = await runExit(effect, signal)
  if (Exit.isSuccess(result)) return result.value
  if (signal.aborted) throw signal.reason
  throw toError(result.cause)
}
