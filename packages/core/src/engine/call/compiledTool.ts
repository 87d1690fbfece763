import { Cause, Duration, Effect, Exit, Result, Schema } from "effect"
import type { Scope } from "../access/scope.ts"
import { ComputeOwner } from "../compute/Compute.ts"
import { formatIssues, limitIssues } from "../messages/issue.ts"
import type { Language } from "../messages/languageCode.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { ToolFailure } from "../tool/failure.ts"
import type { ReadyTool } from "../tool/implement.ts"
import { timeoutMs, type ToolSpecification } from "../tool/specification.ts"
import { isJson } from "./callChecks.ts"
import type { CallContext } from "./CallContext.ts"
import { type CountCall, makeCountCall } from "./callMetrics.ts"
import { runWithDeadline } from "./deadline.ts"
import { type InvalidArguments, toInvalidArguments } from "./errors.ts"

const strictParsing = { errors: "all", onExcessProperty: "error" } as const

/** The arguments of a call: decoded, and encoded again, so that defaults are explicit. */
interface NormalizedArguments {
  readonly decoded: unknown
  readonly encoded: Schema.Json
}

/** Validates arguments without running the tool. Returns the normalized arguments, or each fault with its path. */
export const normalizeArguments = (
  { specification: { parameters } }: Pick<ReadyTool, "specification">,
  args: unknown,
  language: Language
): Result.Result<NormalizedArguments, ReadonlyArray<string>> =>
  Schema.decodeUnknownResult(parameters, strictParsing)(args).pipe(
    // Arguments are JSON before they are decoded, so they are JSON after they are encoded.
    Result.map((decoded) => ({ decoded, encoded: Schema.encodeUnknownSync(parameters)(decoded) as Schema.Json })),
    Result.mapError(({ issue }) =>
      limitIssues(formatIssues(issue, language), language).map(({ message, path }) =>
        path.length === 0 ? message : `\`${path.join(".")}\`: ${message}`
      )
    )
  )

/**
 * Commits one call, and reports whether the call is committed. A committed call completes even if its caller leaves,
 * and has twice the time limit.
 */
export interface Commitment {
  readonly commit: () => void
  readonly isCommitted: () => boolean
}

/** Creates the commitment of a call, or returns undefined for a tool without `completesWhenAbandoned`. */
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

type ToolRun = Effect.Effect<Result.Result<unknown, ToolFailure>, StoreUnavailable>

/** A tool with its compiled codecs and its time limit. */
export interface CompiledTool {
  readonly specification: ToolSpecification
  readonly limitMs: number
  readonly countCall: CountCall
  readonly decodeArguments: (args: unknown, language: Language) => Effect.Effect<unknown, InvalidArguments>
  /** Returns the scope that the arguments require in addition to the tool's own scope, or null if no scope is added. */
  readonly additionalScope: (args: unknown) => Scope | null
  /**
   * Runs the handler under the time limit. If the call is committed, its time limit is doubled. A failure of the tool
   * is returned as a value. If a store is unavailable, the effect fails. A result that does not match the result schema
   * is a defect.
   */
  readonly run: (args: unknown, context: CallContext, commitment: Commitment | undefined) => ToolRun
  /** Returns whether a stored result still matches the tool's result schema. */
  readonly isResult: (data: unknown) => Effect.Effect<boolean>
}

export const timeoutFailure = ({ limitMs }: Pick<CompiledTool, "limitMs">): ToolFailure =>
  new ToolFailure({
    code: "timeout",
    callerMessage: { key: "timeout", params: { seconds: limitMs / 1000 } },
    retryable: true
  })

/** Converts a `ToolFailure` of a handler to a value, and leaves other errors unchanged. */
const failedToolRun = (cause: Cause.Cause<ToolFailure | StoreUnavailable>): ToolRun =>
  Effect.failCause(cause).pipe(
    // A handler that interrupts itself has a bug. The cause of a handler's failure never contains an interruption by
    // the caller.
    Effect.catchCauseIf(Cause.hasInterruptsOnly, (cause) => Effect.die(Cause.squash(cause))),
    Effect.catchTag("ToolFailure", (failure) => Effect.succeed(Result.fail(failure)))
  )

/** Prepares a tool for calls. If the tool's own time limit is longer than `maxDuration`, `maxDuration` applies. */
export const compileTool = ({ handler, specification }: ReadyTool, maxDuration: Duration.Input): CompiledTool => {
  const limitMs = Math.min(timeoutMs(specification), Duration.toMillis(maxDuration))
  const decode = Schema.decodeUnknownEffect(specification.parameters, strictParsing)
  const encode = Schema.encodeUnknownEffect(specification.result, strictParsing)
  const decodeResult = Schema.decodeUnknownEffect(specification.result)
  const timeoutResult = Effect.succeed(Result.fail(timeoutFailure({ limitMs })))

  const requireJson = (data: unknown) =>
    isJson(data)
      ? Effect.succeed(Result.succeed(data))
      : Effect.die(new Error(`${specification.name} returned a value that JSON cannot represent`))

  return {
    specification,
    limitMs,
    countCall: makeCountCall(specification.name),
    // The eager variants of the Effect functions avoid a fiber step if a schema decodes synchronously.
    decodeArguments: (args, language) =>
      Effect.mapErrorEager(
        decode(args),
        ({ issue }) => toInvalidArguments(formatIssues(issue, language), language)
      ),
    additionalScope: (args) => specification.additionalScope?.(args) ?? null,
    run: (args, context, commitment) =>
      Effect.flatMap(
        runWithDeadline(
          Effect.provideService(handler(args, context), ComputeOwner, context.principal.account),
          limitMs,
          commitment?.isCommitted
        ),
        (exit): ToolRun => {
          if (exit === null) return timeoutResult
          return Exit.isFailure(exit)
            ? failedToolRun(exit.cause)
            : Effect.flatMapEager(Effect.catchEager(encode(exit.value), Effect.die), requireJson)
        }
      ),
    isResult: (data) => Effect.isSuccess(decodeResult(data))
  }
}
