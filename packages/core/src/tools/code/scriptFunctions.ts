import { Data, Effect, Predicate } from "effect"
import type { HostFunction } from "../../analysis/code/CodeSandbox.ts"
import type { CallContext } from "../../engine/call/CallContext.ts"
import type { CallOutcome } from "../../engine/call/envelope.ts"
import type { CallRejection } from "../../engine/call/errors.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { ToolFailure } from "../../engine/tool/failure.ts"
import type { ToolSpecification } from "../../engine/tool/specification.ts"
import { getPrice } from "../crypto/getPrice.ts"
import { getPriceHistory } from "../crypto/getPriceHistory.ts"

const maxCalls = 20
/** The maximum number of reads of a script. The maximum number of reads suffices for all coins of a market. */
const maxReads = 100

/**
 * The maximum number of calls with which a script cannot overload the service or a source. A script with more than
 * `maxLightCalls` calls may have caused an overload itself.
 */
const maxLightCalls = 8

/** A tool call of a script failed. */
export class PartFailed extends Data.TaggedError("PartFailed")<{
  readonly message: string
  readonly code: ToolFailure["code"]
  /**
   * Whether the service or a data source failed temporarily. An overload that the script itself caused does not count
   * as an outage.
   */
  readonly isOutage: boolean
}> {}

const makePartFailed = (message: string, code: ToolFailure["code"] = "script_error", isOutage = false) =>
  new PartFailed({ message, code, isOutage })

const toPartFailed = (error: CallRejection, { language }: CallContext): PartFailed | StoreUnavailable => {
  switch (error._tag) {
    case "StoreUnavailable":
      return error
    case "UnknownTool":
      return makePartFailed(
        formatMessage({ key: "unknown_tool", params: { tool: error.tool, nearest: error.nearest } }, language)
      )
    case "ScopeRequired":
      return makePartFailed(formatMessage({ key: "scope_required", params: { scope: error.required_scope } }, language))
    case "UserIdNotAccepted":
      return makePartFailed(formatMessage({ key: "user_id_not_accepted" }, language))
    default:
      // Within another call, the only remaining error is about invalid arguments, whose message is in the caller's
      // language.
      return makePartFailed(error.message)
  }
}

type Failure = NonNullable<CallOutcome["failure"]>

/** Returns whether load caused a failure: the service is busy, a call timed out, or a source limits requests. */
const isCausedByLoad = ({ failure }: Failure): boolean => failure === undefined || failure === "rate_limited"

/**
 * Returns whether the service or a source failed temporarily. `calls` is the number of calls that the script has made.
 */
const isOutage = (failure: Failure, calls: number): boolean =>
  failure.retryable && (failure.code === "source_unavailable" || failure.code === "timeout") &&
  (calls <= maxLightCalls || !isCausedByLoad(failure))

const toResult = ({ envelope, failure }: CallOutcome, calls: number): Effect.Effect<unknown, PartFailed> =>
  failure === null
    ? Effect.succeed(envelope.data)
    : Effect.fail(makePartFailed(failure.message, failure.code, isOutage(failure, calls)))

/** Returns whether scripts may call the tool: it costs one credit and accesses no personal records. */
const isCallable = (tool: ToolSpecification | undefined): boolean =>
  tool !== undefined && tool.scope === "read:market" && tool.credits === 1

const formatName = (name: unknown): string => typeof name === "string" ? name : typeof name

/**
 * Returns the functions that a script can call. The functions act for the caller of `run_code`, and read only market
 * data.
 */
export const makeScriptFunctions = (
  context: CallContext
): { readonly [name: string]: HostFunction<PartFailed | StoreUnavailable> } => {
  let callCount = 0
  const callPart = (name: string, args: unknown) =>
    Effect.matchEffect(Effect.suspend(() => context.parts.call(`${++callCount}`, name, args)), {
      onFailure: (error) => Effect.fail(toPartFailed(error, context)),
      onSuccess: (outcome) => toResult(outcome, callCount)
    })
  const readField = (name: string) => (data: unknown): unknown => Predicate.hasProperty(data, name) ? data[name] : null
  return {
    candles: {
      maxCalls: maxReads,
      call: ([coin, tf = null, bars = null]) =>
        Effect.map(callPart(getPriceHistory.name, { coin, tf, bars }), readField("candles"))
    },
    price: {
      maxCalls: maxReads,
      call: ([coin]) => Effect.map(callPart(getPrice.name, { coin }), readField("price"))
    },
    call: {
      maxCalls: maxCalls,
      call: ([name, args]) =>
        typeof name === "string" && isCallable(context.parts.find(name))
          ? callPart(name, args ?? {})
          : Effect.fail(
            makePartFailed(formatMessage({ key: "script_tool", params: { tool: formatName(name) } }, context.language))
          )
    }
  }
}
