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

/**
 * Returns the faults of `args` for a tool, with their paths. Empty if the tool accepts `args`. Does not run the tool.
 */
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

/** The commitment of a call. A committed call completes even if its caller leaves, and its time limit is doubled. */
export interface Commitment {
  readonly commit: () => void
  readonly isCommitted: () => boolean
}

/** Makes the commitment of one call. Undefined for a tool whose calls end with their callers. */
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

/** The result of a tool, or its failure. */
type Run = Effect.Effect<Result.Result<unknown, ToolFailure>, StoreUnavailable>

/** A tool that is ready for calls, with compiled codecs and its time limit. */
export interface CallableTool {
  readonly specification: ToolSpecification
  /** The time limit of a call, in ms. */
  readonly limitMs: number
  /** Counts a call that ran. */
  readonly measure: Measure
  readonly decodeArguments: (args: unknown, language: Language) => Effect.Effect<unknown, InvalidArguments>
  /** The scope that a call with these decoded arguments needs in addition to the tool's scope, or null. */
  readonly alsoNeeds: (args: unknown) => Scope | null
  /**
   * Runs the handler under the time limit, which is doubled once the call is committed. A failure of the tool is a
   * value. If a store is unavailable, the effect fails, and the call is rejected. The schema encodes the result; a
   * result that does not match the schema is a defect.
   */
  readonly run: (args: unknown, context: CallContext, commitment: Commitment | undefined) => Run
  /** True if `data`, a stored encoded result, still matches the schema. */
  readonly isResult: (data: unknown) => Effect.Effect<boolean>
}

/** The failure of a tool that did not finish within its time limit. */
export const timedOut = ({ limitMs }: Pick<CallableTool, "limitMs">): ToolFailure =>
  new ToolFailure({
    code: "timeout",
    says: { key: "timeout", params: { seconds: limitMs / 1000 } },
    retryable: true
  })

/** Converts the failure of a handler: a `ToolFailure` becomes a value. */
const failedRun = (cause: Cause.Cause<ToolFailure | StoreUnavailable>): Run =>
  Effect.failCause(cause).pipe(
    // A handler that interrupts itself has a bug. The interruption of a caller does not arrive as a failure of the
    // handler.
    Effect.catchCauseIf(Cause.hasInterruptsOnly, (cause) => Effect.die(Cause.squash(cause))),
    Effect.catchTag("ToolFailure", (failure) => Effect.succeed(Result.fail(failure)))
  )

/** Prepares a tool for calls. `longest` is the time limit of all tools. */
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
    // The eager variants, here and below, avoid a fiber step if a schema decodes synchronously.
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
