import { Context, Duration, Effect, FiberSet, Layer, Predicate, Result, Schema, Stream } from "effect"
import { KeyStore } from "../access/KeyStore.ts"
import { Plans } from "../access/plan.ts"
import { hasAnyScope } from "../access/scope.ts"
import { makeKnownCredits } from "../credits/knownCredits.ts"
import { Ledger } from "../credits/Ledger.ts"
import type { Idempotency } from "../credits/reservation.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { findNearestName } from "../text/nearestName.ts"
import { acceptedScopes } from "../tool/area.ts"
import type { ToolSpecification } from "../tool/specification.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import { type CheckedCall, withElapsedMs } from "./admittedCall.ts"
import { callIssues } from "./callChecks.ts"
import type { CallParts } from "./CallContext.ts"
import { publishCallCounters } from "./callMetrics.ts"
import { CallSettings } from "./CallSettings.ts"
import { runCharged } from "./chargedCall.ts"
import { type ChargingServices, leaseMsOf } from "./chargingServices.ts"
import { type CompiledTool, compileTool, makeCommitment } from "./compiledTool.ts"
import { type CallOutcome, makeFailedOutcome, type ToolResponse } from "./envelope.ts"
import {
  AnswerUnreadable,
  CallFailed,
  type CallRejection,
  type InvalidArguments,
  ScopeRequired,
  toInvalidArguments,
  UnknownTool,
  UserIdNotAccepted
} from "./errors.ts"
import { fingerprint } from "./fingerprint.ts"
import { replayOutcome } from "./replay.ts"
import type { Payer, ToolCall, TypedCall } from "./request.ts"

/** The two forms of a tool call: by the tool's specification, or by the tool's name. */
export interface Call {
  /**
   * Calls `tool` with typed arguments. Fails with a `CallRejection` error if the call is rejected, and with
   * `CallFailed` if the tool has no answer. A rejected or failed call charges nothing.
   */
  <const S extends ToolSpecification>(
    tool: S,
    call: TypedCall<S>
  ): Effect.Effect<ToolResponse<S>, CallRejection | CallFailed | AnswerUnreadable>
  /** Calls a tool by its name. If the tool fails, the effect succeeds, and the outcome contains `failure`. */
  (call: ToolCall): Effect.Effect<CallOutcome, CallRejection>
}

/**
 * Runs every tool call, for all transports and callers. The steps, in this order, are:
 *
 * - Reject an argument `user_id`, find the tool, and check the caller's scope.
 * - Check the idempotency key, and check that every store can store the texts.
 * - Return the stored response of the idempotency key, if there is a stored response.
 * - Decode the arguments, and check the additional scope that the arguments need.
 * - Reserve the credits.
 * - Run the tool under its timeout.
 * - Settle or release the reservation.
 *
 * A call of a pure tool runs without a reservation, and is then charged, if the caller recently had enough credits.
 *
 * A call that fails, times out, dies or is interrupted charges nothing. A committed call continues and is charged, even
 * if its caller is interrupted. When the layer is closed, committed calls are interrupted and charge nothing. A result
 * that is not JSON, or that does not match the result schema, is a defect.
 */
export class ToolCaller extends Context.Service<ToolCaller, { readonly call: Call }>()(
  "@tapeline/core/call/ToolCaller"
) {
  static readonly layer: Layer.Layer<ToolCaller, never, Toolbox | Ledger | Plans | KeyStore> = Layer.effect(
    ToolCaller,
    Effect.gen(function*() {
      const settings = yield* CallSettings
      const toolbox = yield* Toolbox
      const tools = new Map(
        toolbox.tools.map((tool) => [tool.specification.name, compileTool(tool, settings.toolTimeout)])
      )
      yield* Effect.forEach(tools.keys(), publishCallCounters, { discard: true })
      const knownCredits = makeKnownCredits(maxKnownCredits)
      const { changes } = yield* KeyStore
      yield* changes.pipe(
        Stream.runForEach((change) =>
          Effect.sync(() => knownCredits.forget(change._tag === "Account" ? change.account : null))
        ),
        Effect.forkScoped
      )
      const chargingServices = {
        ledger: yield* Ledger,
        plans: yield* Plans,
        knownCredits,
        flights: new Map(),
        graceMs: Duration.toMillis(settings.reservationGrace),
        committedCalls: yield* FiberSet.make<CallOutcome, CallRejection>()
      }
      const callByName = makeCallByName(tools, chargingServices, Duration.toMillis(settings.replayFor))
      return ToolCaller.of({ call: makeCall(callByName) })
    })
  )
}

/** The maximum number of callers whose credits a process remembers. */
const maxKnownCredits = 10_000

const isPermitted = ({ principal }: ToolCall, { specification: { area, scope } }: CompiledTool): boolean =>
  hasAnyScope(principal.scopes, acceptedScopes(scope, area))

const permittedToolNames = (tools: ReadonlyMap<string, CompiledTool>, call: ToolCall): ReadonlyArray<string> =>
  [...tools].flatMap(([name, tool]) => isPermitted(call, tool) ? [name] : [])

/** Returns the tool that a call names, or the error that rejects the call. */
const checkCall = (
  tools: ReadonlyMap<string, CompiledTool>,
  call: ToolCall
): Result.Result<CompiledTool, UserIdNotAccepted | UnknownTool | ScopeRequired | InvalidArguments> => {
  if (Predicate.hasProperty(call.arguments, "user_id")) return Result.fail(new UserIdNotAccepted())
  const tool = tools.get(call.name)
  if (tool === undefined) {
    return Result.fail(
      new UnknownTool({ tool: call.name, nearest: findNearestName(call.name, permittedToolNames(tools, call)) })
    )
  }
  const { scope } = tool.specification
  if (!isPermitted(call, tool)) {
    return Result.fail(new ScopeRequired({ required_scope: scope }))
  }
  const { language = "en" } = call
  const issues = callIssues(call, language)
  return issues.length > 0 ? Result.fail(toInvalidArguments(issues, language)) : Result.succeed(tool)
}

/**
 * Returns the stored outcome of the call's idempotency key. If no outcome is stored under the key, returns the
 * idempotency data for a new reservation.
 */
const findReplay = Effect.fnUntraced(function*(
  chargingServices: ChargingServices,
  tool: CompiledTool,
  { arguments: args, name, principal }: ToolCall,
  key: string,
  retentionMs: number
): Effect.fn.Return<Result.Result<CallOutcome, Idempotency>, CallRejection> {
  const idempotency = { key, fingerprint: yield* fingerprint(name, args), retentionMs: retentionMs }
  const recorded = yield* chargingServices.ledger.idempotencyState(principal.account, idempotency)
  return recorded === null
    ? Result.fail(idempotency)
    : Result.succeed(yield* replayOutcome(tool, recorded, leaseMsOf(chargingServices, tool)))
})

const makeCallByName = (
  tools: ReadonlyMap<string, CompiledTool>,
  chargingServices: ChargingServices,
  retentionMs: number
) => {
  const callPartsOf =
    ({ language, principal }: ToolCall) => ({ call, conversation, reservation }: Payer): CallParts => ({
      find: (name) => tools.get(name)?.specification,
      call: (partId, name, args) =>
        callByName({
          principal,
          language,
          name,
          arguments: args,
          payer: { reservation, call: `${call}/${partId}`, conversation }
        })
    })

  const runCall = (
    call: ToolCall,
    tool: CompiledTool,
    idempotency: Idempotency | null,
    startedAt: number
  ): Effect.Effect<CallOutcome, CallRejection> => {
    const { language = "en", payer, principal } = call
    return Effect.flatMapEager(tool.decodeArguments(call.arguments, language), (args): Effect.Effect<
      CallOutcome,
      CallRejection
    > => {
      const extraScope = tool.additionalScope(args)
      if (extraScope !== null && !hasAnyScope(principal.scopes, [extraScope])) {
        return Effect.fail(new ScopeRequired({ required_scope: extraScope }))
      }
      const commitment = makeCommitment(tool)
      const checkedCall = {
        tool,
        args,
        principal,
        language,
        idempotency,
        commitment,
        startedAt,
        makeParts: callPartsOf(call),
        proposal: call.proposal
      }
      return payer === undefined ? runCharged(chargingServices, checkedCall) : runPaidByPayer(checkedCall, payer)
    })
  }

  const callByName = (call: ToolCall): Effect.Effect<CallOutcome, CallRejection> =>
    Effect.clockWith((clock): Effect.Effect<CallOutcome, CallRejection> => {
      const startedAt = clock.currentTimeMillisUnsafe()
      const { idempotencyKey: key, payer, principal, proposal } = call
      const checked = checkCall(tools, call)
      if (checked._tag === "Failure") return Effect.fail(checked.failure)
      const tool = checked.success
      if (payer !== undefined && (payer.reservation.account !== principal.account || key !== undefined)) {
        return Effect.die(
          new Error("a call that an answer pays for must have the answer's account, and no idempotency key")
        )
      }
      return key === undefined
        ? runCall(call, tool, null, startedAt)
        : Effect.flatMap(
          findReplay(chargingServices, tool, call, key, proposal?.retentionMs ?? retentionMs),
          (found) =>
            Result.isSuccess(found)
              ? Effect.succeed(found.success)
              : runCall(call, tool, found.failure, startedAt)
        )
    })
  return callByName
}

/** Runs a call without a reservation, because an answer or another call pays for the call. */
const runPaidByPayer = (
  { args, commitment, language, makeParts, principal, startedAt, tool }: CheckedCall,
  payer: Payer
): Effect.Effect<CallOutcome, StoreUnavailable> => {
  const { name } = tool.specification
  const callId = `${payer.reservation.origin}/${payer.call}`
  return Effect.flatMap(
    tool.run(args, {
      principal,
      language,
      callId,
      limitMs: tool.limitMs,
      commit: commitment?.commit,
      conversation: payer.conversation ?? null,
      parts: makeParts(payer)
    }, commitment),
    (toolResult) =>
      withElapsedMs(startedAt, (took_ms) => {
        const outcome = toolResult._tag === "Failure"
          ? makeFailedOutcome({ tool: name, took_ms }, toolResult.failure, language, null)
          : {
            envelope: { tool: name, credits_used: 0, took_ms, data: toolResult.success },
            failure: null,
            replayed: false,
            callId: null
          }
        return tool.countCall(toolResult._tag === "Success" ? "ok" : "failed", took_ms, Effect.succeed(outcome))
      })
  )
}

const decodeOutcome = Effect.fnUntraced(function*<S extends ToolSpecification>(
  { name, result }: S,
  { callId, envelope, failure, replayed }: CallOutcome
): Effect.fn.Return<ToolResponse<S>, CallFailed | AnswerUnreadable> {
  const { data, ...accounting } = envelope
  if (failure !== null) return yield* new CallFailed({ ...accounting, ...failure })
  // Decodes with the caller's specification, because the toolbox's tool of equal name has no static result type.
  const encoded: Schema.Codec<S["result"]["Encoded"]> = Schema.toEncoded(result)
  const decoded = yield* Effect.mapError(
    Schema.decodeUnknownEffect(encoded)(data),
    () => new AnswerUnreadable({ ...accounting, data, replayed, callId })
  )
  return { ...accounting, tool: name, data: decoded, replayed, callId }
})

const makeCall = (callByName: (call: ToolCall) => Effect.Effect<CallOutcome, CallRejection>): Call => {
  const callTraced = (call: ToolCall) => {
    const outcome = callByName(call)
    // Without a tracer, no span is created.
    return Effect.withFiber(({ cache: { tracer } }) =>
      tracer === undefined
        ? outcome
        : outcome.pipe(
          Effect.withSpan("ToolCaller.call", { attributes: { tool: call.name } }, { captureStackTrace: false })
        )
    )
  }
  function call<S extends ToolSpecification>(
    tool: S,
    call: TypedCall<S>
  ): Effect.Effect<ToolResponse<S>, CallRejection | CallFailed | AnswerUnreadable>
  function call(call: ToolCall): Effect.Effect<CallOutcome, CallRejection>
  function call(...params: readonly [ToolCall] | readonly [ToolSpecification, TypedCall<ToolSpecification>]) {
    if (params.length === 1) return callTraced(params[0])
    const [tool, call] = params
    return Effect.flatMap(callTraced({ ...call, name: tool.name }), (outcome) => decodeOutcome(tool, outcome))
  }
  return call
}
