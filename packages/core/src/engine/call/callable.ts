import { Cause, Duration, Effect, Exit, Result, Schema } from "effect"
import type { Scope } from "../access/scope.ts"
import { ComputeOwner } from "../compute/Compute.ts"
import { sayIssues } from "../messages/issue.ts"
import type { Language } from "../messages/languageCode.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { ToolFailure } from "../tool/failure.ts"
import type { ReadyTool } from "../tool/implement.ts"
import { timeoutMs, type ToolSpecification } from "../tool/specification.ts"
import type { CallContext } from "./CallContext.ts"
import { endWithin } from "./deadline.ts"
import { InvalidArguments } from "./errors.ts"
import { type Measure, measureOf } from "./measures.ts"
import { isJson } from "./soundness.ts"

const strict = { errors: "all", onExcessProperty: "error" } as const

/** What is wrong with `args` for a tool, and where; empty when it could be called with them. Nothing is run. */
export const faultsIn = (
  { specification: { parameters } }: Pick<ReadyTool, "specification">,
  args: unknown,
  language: Language
): ReadonlyArray<string> => {
  const decoded = Schema.decodeUnknownResult(parameters, strict)(args)
  return Result.isSuccess(decoded)
    ? []
    : sayIssues(decoded.failure.issue, language).map(({ message, path }) =>
      path.length === 0 ? message : `\`${path.join(".")}\`: ${message}`
    )
}

/** Whether a call is committed: from then on it completes although its caller leaves, and its time limit is doubled. */
export interface Commitment {
  readonly commit: () => void
  readonly isCommitted: () => boolean
}

/** Makes the commitment of one call; undefined for a tool whose calls end with their callers. */
export const makeCommitment = ({ specification }: Pick<ReadyTool, "specification">): Commitment | undefined => {
  if (specification.completesWhenAbandoned !== true) return undefined
  let committed = false
  return {
    commit: () => {
      committed = true
    },
    isCommitted: () => committed
  }
}

/** What a tool answered, or why it could not. */
type Run = Effect.Effect<Result.Result<unknown, ToolFailure>, StoreUnavailable>

/** A tool with all that a call needs of it: its codecs are compiled, its time limit is known. */
export interface CallableTool {
  readonly specification: ToolSpecification
  /** How long it may run, in ms. */
  readonly limitMs: number
  /** Counts a call of it that ran. */
  readonly measure: Measure
  readonly decodeArguments: (args: unknown, language: Language) => Effect.Effect<unknown, InvalidArguments>
  /** The scope that a call with these arguments, decoded, needs beside the tool's own; null: none. */
  readonly alsoNeeds: (args: unknown) => Scope | null
  /**
   * Runs the handler under the time limit, which is doubled once the call is committed. A failure of the tool is an
   * answer; a store that is away refuses the call. The result is encoded by its schema; one that breaks it is a defect.
   */
  readonly run: (args: unknown, context: CallContext, commitment: Commitment | undefined) => Run
  /** True when `data`, an encoded result that was kept, is one still. */
  readonly isResult: (data: unknown) => Effect.Effect<boolean>
}

/** The failure of a tool that did not finish within its limit. */
export const timedOut = ({ limitMs }: Pick<CallableTool, "limitMs">): ToolFailure =>
  new ToolFailure({
    code: "timeout",
    says: { key: "timeout", params: { seconds: limitMs / 1000 } },
    retryable: true
  })

/** What a handler that failed comes to. */
const failedRun = (cause: Cause.Cause<ToolFailure | StoreUnavailable>): Run =>
  Effect.failCause(cause).pipe(
    // A handler that interrupts itself is broken; who left is another matter, and comes by no failure of its own.
    Effect.catchCauseIf(Cause.hasInterruptsOnly, (cause) => Effect.die(Cause.squash(cause))),
    Effect.catchTag("ToolFailure", (failure) => Effect.succeed(Result.fail(failure)))
  )

/** Makes a tool ready for calls; `longest` is the limit that holds for every tool. */
export const callable = ({ handler, specification }: ReadyTool, longest: Duration.Input): CallableTool => {
  const limitMs = Math.min(timeoutMs(specification), Duration.toMillis(longest))
  const decode = Schema.decodeUnknownEffect(specification.parameters, strict)
  const encode = Schema.encodeUnknownEffect(specification.result, strict)
  const decodeResult = Schema.decodeUnknownEffect(specification.result)
  const late = Effect.succeed(Result.fail(timedOut({ limitMs })))

  const written = (data: unknown) =>
    isJson(data)
      ? Effect.succeed(Result.succeed(data))
      : Effect.die(new Error(`${specification.name} answered with what JSON cannot say`))

  return {
    specification,
    limitMs,
    measure: measureOf(specification.name),
    // Eagerly, here and below: what a schema decides at once is no step of its own.
    decodeArguments: (args, language) =>
      Effect.mapErrorEager(decode(args), ({ issue }) => new InvalidArguments({ issues: sayIssues(issue, language) })),
    alsoNeeds: (args) => specification.alsoNeeds?.(args) ?? null,
    run: (args, context, commitment) =>
      Effect.flatMap(
        endWithin(
          Effect.provideService(handler(args, context), ComputeOwner, context.principal.account),
          limitMs,
          commitment?.isCommitted
        ),
        (exit): Run => {
          if (exit === null) return late
          return Exit.isFailure(exit)
            ? failedRun(exit.cause)
            : Effect.flatMapEager(Effect.catchEager(encode(exit.value), Effect.die), written)
        }
      ),
    isResult: (data) => Effect.isSuccess(decodeResult(data))
  }
}
