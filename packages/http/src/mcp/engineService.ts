import { CutOff, problemOf, type Refusal } from "@tapeline/api"
import {
  type Analyst,
  type CallOutcome,
  type CatalogueEntry,
  type Generation,
  type Issue,
  operations,
  type Principal,
  say,
  type ToolCaller,
  visibleTo
} from "@tapeline/core"
import type { Asking, Called, Question, Service, Trouble } from "@tapeline/mcp"
import { type Cause, Effect, Exit, Stream } from "effect"
import type { Exchange } from "../exchange.ts"

/** The parts of the engine that the bridge uses. */
export interface Engine {
  readonly caller: ToolCaller["Service"]
  /** Undefined if the service has no analyst. */
  readonly analyst: Analyst["Service"] | undefined
  readonly entries: ReadonlyArray<CatalogueEntry>
  /** Returns when this process begins to stop. */
  readonly stopping: Effect.Effect<void>
  /** Returns the progress message of an answer's event, if it has one. */
  readonly progressIn: (kind: string, data: object) => string | undefined
}

/** The caller of a request, with the request. */
export interface CallerOf {
  readonly principal: Principal
  readonly exchange: Exchange
  readonly idempotencyKey: string | undefined
  /** Issues of the request's headers. */
  readonly issues: ReadonlyArray<Issue>
  /** Runs an effect that waits for an answer. Fails once the caller may no longer read the answer. */
  readonly whileOpen: <A, E>(generation: Generation, effect: Effect.Effect<A, E>) => Effect.Effect<A, unknown>
}

/** Runs an effect as part of the request. Rejects with a `Trouble` error, or with the signal's reason. */
export type Run = <A>(effect: Effect.Effect<A, unknown>, signal: AbortSignal) => Promise<A>

/** Converts a refusal for the bridge, in the language of the request. */
export const refusedBy = (refusal: Refusal, { language, requestId }: Exchange) => ({
  kind: "refused" as const,
  problem: { ...problemOf(refusal, requestId, (message) => say(message, language)).problem }
})

/** The `Trouble` of a call that the tool could not answer; undefined if the call has an answer. */
const failureOf = ({ failure }: CallOutcome): Trouble | undefined =>
  failure === null ? undefined : { kind: "failed", ...failure }

const calledOf = ({ envelope: { credits_left, credits_used, data, tool } }: CallOutcome): Called => {
  // As over HTTP, the call has its own reservation.
  if (credits_left === undefined) throw new Error(`the call of ${tool} reserved nothing`)
  return { data, credits_used, credits_left }
}

/**
 * Starts an answer and waits for all of it. Fails if the caller may no longer read it, or if this process stops. After
 * a stop, the answer continues here or in another process, and is stored in its conversation.
 */
const ask = (
  { analyst, progressIn, stopping }: Engine & { readonly analyst: Analyst["Service"] },
  { exchange, idempotencyKey, issues, principal, whileOpen }: CallerOf,
  question: Question,
  { cancelled, onProgress }: Asking
) => {
  const waiting = (generation: Generation) =>
    Effect.andThen(
      Stream.runForEach(analyst.follow(generation.id, 0), ({ data, kind }) =>
        Effect.sync(() => {
          // Most events are pieces of text and contain no progress.
          if (kind === "delta" || kind === "reasoning") return
          // The log stores objects.
          const progress = progressIn(kind, JSON.parse(data) as object)
          if (progress !== undefined) onProgress(progress)
        })),
      analyst.whole(generation)
    )
  const stopped = Effect.andThen(stopping, Effect.fail(new CutOff()))
  const cancel = (generation: Generation) =>
    Effect.suspend(() => cancelled.aborted ? analyst.cancel(principal, generation.conversation) : Effect.void).pipe(
      Effect.ignore
    )
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      analyst.start({ principal, language: exchange.language, idempotencyKey, request: question, issues }),
      ({ generation }) =>
        restore(Effect.raceFirst(whileOpen(generation, waiting(generation)), stopped)).pipe(
          Effect.onInterrupt(() => cancel(generation))
        )
    )
  )
}

/** The engine as the bridge's service, for one caller and one request. Results and checks are the same as over REST. */
export const engineService = (
  engine: Engine,
  of: CallerOf,
  run: Run,
  trouble: (told: Trouble) => Error
): Service => {
  const { analyst, caller, entries } = engine
  const { exchange, idempotencyKey, issues, principal } = of
  const { scopes } = principal
  const catalogue = {
    tools: visibleTo(entries, scopes),
    operations: analyst === undefined ? [] : operations.filter(({ scope }) => scopes.includes(scope))
  }
  return {
    catalogue: () => Promise.resolve(catalogue),
    call: async (name, args, signal) => {
      const { language } = exchange
      const asked = caller.call({ principal, name, arguments: args, language, idempotencyKey, issues })
      const outcome = await run(asked, signal)
      const failure = failureOf(outcome)
      if (failure !== undefined) throw trouble(failure)
      return calledOf(outcome)
    },
    ask: (question, asking) => {
      if (analyst === undefined) {
        const problem = { code: "unknown_tool", detail: "This service has no analyst." }
        return Promise.reject(trouble({ kind: "refused", problem }))
      }
      const { cancelled, left } = asking
      const gone = left === undefined ? cancelled : AbortSignal.any([cancelled, left])
      return run(ask({ ...engine, analyst }, of, question, asking), gone)
    }
  }
}

/** Makes a `Run` from a function that runs effects in the context of a request. */
export const runner = (
  exit: <A>(effect: Effect.Effect<A, unknown>, signal: AbortSignal) => Promise<Exit.Exit<A, unknown>>,
  toldAs: (cause: Cause.Cause<unknown>) => Error
): Run =>
async (effect, signal) => {
  const ended = await exit(effect, signal)
  if (Exit.isSuccess(ended)) return ended.value
  if (signal.aborted) throw signal.reason
  throw toldAs(ended.cause)
}
