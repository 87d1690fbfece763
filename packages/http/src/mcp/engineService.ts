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

/** What of the engine the bridge is laid over. */
export interface Engine {
  readonly caller: ToolCaller["Service"]
  /** Undefined where there is none to ask. */
  readonly analyst: Analyst["Service"] | undefined
  readonly entries: ReadonlyArray<CatalogueEntry>
  /** Returns when this process begins to stop. */
  readonly stopping: Effect.Effect<void>
  /** What an event of an answer tells of what is done. */
  readonly progressIn: (kind: string, data: object) => string | undefined
}

/** Who calls, in which request. */
export interface CallerOf {
  readonly principal: Principal
  readonly exchange: Exchange
  readonly idempotencyKey: string | undefined
  /** What is wrong with how the request was sent. */
  readonly issues: ReadonlyArray<Issue>
  /** Waits for an answer while the caller may read it. */
  readonly whileOpen: <A, E>(generation: Generation, effect: Effect.Effect<A, E>) => Effect.Effect<A, unknown>
}

/** Runs an effect as a part of the request; rejects with `Trouble`, or with the signal's reason. */
export type Run = <A>(effect: Effect.Effect<A, unknown>, signal: AbortSignal) => Promise<A>

/** A refusal as the bridge has it, said in the request's language. */
export const refusedBy = (refusal: Refusal, { language, requestId }: Exchange) => ({
  kind: "refused" as const,
  problem: { ...problemOf(refusal, requestId, (message) => say(message, language)).problem }
})

/** The trouble of a call that the tool could not answer; undefined of one that was answered. */
const failureOf = ({ failure }: CallOutcome): Trouble | undefined =>
  failure === null ? undefined : { kind: "failed", ...failure }

const calledOf = ({ envelope: { credits_left, credits_used, data, tool } }: CallOutcome): Called => {
  // As over HTTP: the account pays by itself.
  if (credits_left === undefined) throw new Error(`the call of ${tool} reserved nothing`)
  return { data, credits_used, credits_left }
}

/**
 * Asks, and waits for the whole answer while its key opens it and this process does not stop: then who asked is told,
 * and the answer is written on, here or elsewhere, and kept in its conversation.
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
          // Most events are pieces of text, which tell nothing of it.
          if (kind === "delta" || kind === "reasoning") return
          // As the log holds it: an object.
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

/** The engine as the bridge's service, for one caller and one request: what REST gives, by the same way in. */
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

/** How effects run as parts of a request whose context is `context`. */
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
