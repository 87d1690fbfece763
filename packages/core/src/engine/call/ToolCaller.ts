import { Context, Duration, Effect, FiberSet, Layer, Predicate, Result, Schema } from "effect"
import { Plans } from "../access/plan.ts"
import { grants } from "../access/scope.ts"
import { Ledger } from "../credits/Ledger.ts"
import type { Idempotency } from "../credits/LedgerStore.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { nearestName } from "../text/nearestName.ts"
import { scopesAny } from "../tool/area.ts"
import type { ToolSpecification } from "../tool/specification.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import { callable, type CallableTool, makeCommitment } from "./callable.ts"
import type { CallParts } from "./CallContext.ts"
import { CallSettings } from "./CallSettings.ts"
import { charged, type Charging, leaseMsOf } from "./charged.ts"
import { type JudgedCall, timed } from "./ending.ts"
import { type Answered, type CallOutcome, failedOutcome } from "./envelope.ts"
import {
  AnswerUnreadable,
  CallFailed,
  type CallRefusal,
  InvalidArguments,
  ScopeRequired,
  UnknownTool,
  UserIdNotAccepted
} from "./errors.ts"
import { fingerprint } from "./fingerprint.ts"
import { showCallCounters } from "./measures.ts"
import { recalled } from "./recollection.ts"
import type { Payer, ToolCall, TypedCall } from "./request.ts"
import { issuesOf } from "./soundness.ts"

/** Calls a tool, either by its specification or by its name. */
export interface Call {
  /**
   * Calls `tool` with typed arguments, and returns a result of the tool's type. In addition to the `CallRefusal`
   * errors, fails with `CallFailed` if the tool has no answer. In both cases nothing was charged. `CallFailed` contains
   * the reason, in the caller's language, and whether a retry may help.
   */
  <const S extends ToolSpecification>(
    tool: S,
    call: TypedCall<S>
  ): Effect.Effect<Answered<S>, CallRefusal | CallFailed | AnswerUnreadable>
  /**
   * Calls a tool by its name, as transports do. A failed call is a successful effect, with `failure` in its outcome.
   */
  (call: ToolCall): Effect.Effect<CallOutcome, CallRefusal>
}

/**
 * Runs every tool call, for all transports and callers. The steps are:
 *
 * 1. Reject `user_id`, find the tool and check the scope.
 * 2. Check the idempotency key and the texts.
 * 3. Replay a stored response.
 * 4. Decode the arguments, and check the additional scope that they need.
 * 5. Reserve the credits.
 * 6. Run the tool under its timeout.
 * 7. Settle or release the reservation.
 *
 * A call that fails, times out, dies or is interrupted charges nothing. A committed call continues if its caller is
 * interrupted, and is charged; the end of the layer interrupts it without a charge. A result that does not match its
 * schema, or that is not JSON, is a defect.
 */
export class ToolCaller extends Context.Service<ToolCaller, { readonly call: Call }>()(
  "@tapeline/core/call/ToolCaller"
) {
  static readonly layer: Layer.Layer<ToolCaller, never, Toolbox | Ledger | Plans> = Layer.effect(
    ToolCaller,
    Effect.gen(function*() {
      const settings = yield* CallSettings
      const toolbox = yield* Toolbox
      const tools = new Map(
        toolbox.tools.map((tool) => [tool.specification.name, callable(tool, settings.toolTimeout)])
      )
      yield* Effect.forEach(tools.keys(), showCallCounters, { discard: true })
      const charging = {
        ledger: yield* Ledger,
        plans: yield* Plans,
        graceMs: Duration.toMillis(settings.reservationGrace),
        completing: yield* FiberSet.make<CallOutcome, CallRefusal>()
      }
      const byName = makeByName(tools, charging, Duration.toMillis(settings.replayFor))
      return ToolCaller.of({ call: makeCall(byName) })
    })
  )
}

const mayCall = ({ principal }: ToolCall, { specification: { area, scope } }: CallableTool): boolean =>
  grants(principal.scopes, scopesAny(scope, area))

/** The names of the tools that this caller may call. */
const visible = (tools: ReadonlyMap<string, CallableTool>, call: ToolCall): ReadonlyArray<string> =>
  [...tools].flatMap(([name, tool]) => mayCall(call, tool) ? [name] : [])

/** Returns the tool that a call names, or the error that rejects the call. */
const judge = (
  tools: ReadonlyMap<string, CallableTool>,
  call: ToolCall
): Result.Result<CallableTool, UserIdNotAccepted | UnknownTool | ScopeRequired | InvalidArguments> => {
  if (Predicate.hasProperty(call.arguments, "user_id")) return Result.fail(new UserIdNotAccepted())
  const tool = tools.get(call.name)
  if (tool === undefined) {
    return Result.fail(new UnknownTool({ tool: call.name, nearest: nearestName(call.name, visible(tools, call)) }))
  }
  const { scope } = tool.specification
  if (!mayCall(call, tool)) {
    return Result.fail(new ScopeRequired({ required_scope: scope }))
  }
  const issues = issuesOf(call, call.language ?? "en")
  return issues.length > 0 ? Result.fail(new InvalidArguments({ issues })) : Result.succeed(tool)
}

/**
 * Returns the stored outcome for a call's idempotency key. For a free key, returns the key to reserve the call under.
 */
const recall = Effect.fnUntraced(function*(
  charging: Charging,
  tool: CallableTool,
  { arguments: args, name, principal }: ToolCall,
  key: string,
  retainMs: number
): Effect.fn.Return<Result.Result<CallOutcome, Idempotency>, CallRefusal> {
  const idempotency = { key, fingerprint: yield* fingerprint(name, args), retainMs }
  const found = yield* charging.ledger.recall(principal.account, idempotency)
  return found === null
    ? Result.fail(idempotency)
    : Result.succeed(yield* recalled(tool, found, leaseMsOf(charging, tool)))
})

const makeByName = (tools: ReadonlyMap<string, CallableTool>, charging: Charging, retainMs: number) => {
  const partsOf = ({ language, principal }: ToolCall) => ({ call, conversation, reservation }: Payer): CallParts => ({
    find: (name) => tools.get(name)?.specification,
    call: (part, name, args) =>
      byName({
        principal,
        language,
        name,
        arguments: args,
        payer: { reservation, call: `${call}/${part}`, conversation }
      })
  })

  /** Runs a call that is neither rejected nor replayed. */
  const answered = (
    call: ToolCall,
    tool: CallableTool,
    idempotency: Idempotency | null,
    startedAt: number
  ): Effect.Effect<CallOutcome, CallRefusal> => {
    const { language = "en", payer, principal } = call
    return Effect.flatMapEager(tool.decodeArguments(call.arguments, language), (args): Effect.Effect<
      CallOutcome,
      CallRefusal
    > => {
      const scope = tool.alsoNeeds(args)
      if (scope !== null && !grants(principal.scopes, [scope])) {
        return Effect.fail(new ScopeRequired({ required_scope: scope }))
      }
      const commitment = makeCommitment(tool)
      const ready = { tool, args, principal, language, idempotency, commitment, startedAt, partsOf: partsOf(call) }
      return payer === undefined ? charged(charging, ready) : covered(ready, payer)
    })
  }

  const byName = (call: ToolCall): Effect.Effect<CallOutcome, CallRefusal> =>
    Effect.clockWith((clock): Effect.Effect<CallOutcome, CallRefusal> => {
      const startedAt = clock.currentTimeMillisUnsafe()
      const { idempotencyKey: key, payer, principal } = call
      const judged = judge(tools, call)
      if (judged._tag === "Failure") return Effect.fail(judged.failure)
      const tool = judged.success
      if (payer !== undefined && (payer.reservation.account !== principal.account || key !== undefined)) {
        return Effect.die(new Error("a call that an answer pays for is of its account, and has no key of its own"))
      }
      return key === undefined
        ? answered(call, tool, null, startedAt)
        : Effect.flatMap(recall(charging, tool, call, key, retainMs), (found) =>
          Result.isSuccess(found)
            ? Effect.succeed(found.success)
            : answered(call, tool, found.failure, startedAt))
    })
  return byName
}

/** Runs a call that an answer or another call pays for, without a reservation. */
const covered = (
  { args, commitment, language, partsOf, principal, startedAt, tool }: JudgedCall,
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
      parts: partsOf(payer)
    }, commitment),
    (ran) =>
      timed(startedAt, (took_ms) => {
        const outcome = ran._tag === "Failure"
          ? failedOutcome({ tool: name, took_ms }, ran.failure, language)
          : { envelope: { tool: name, credits_used: 0, took_ms, data: ran.success }, failure: null, replayed: false }
        return tool.measure(ran._tag === "Success" ? "ok" : "failed", took_ms, Effect.succeed(outcome))
      })
  )
}

/** Decodes an outcome to the result type of the caller's specification. */
const read = Effect.fnUntraced(function*<S extends ToolSpecification>(
  { name, result }: S,
  { envelope, failure, replayed }: CallOutcome
): Effect.fn.Return<Answered<S>, CallFailed | AnswerUnreadable> {
  const { data, ...account } = envelope
  if (failure !== null) return yield* new CallFailed({ ...account, ...failure })
  // Decodes with the caller's specification and not with the toolbox's tool of the same name, because only the former
  // has the type.
  const encoded: Schema.Codec<S["result"]["Encoded"]> = Schema.toEncoded(result)
  const read = yield* Effect.mapError(
    Schema.decodeUnknownEffect(encoded)(data),
    () => new AnswerUnreadable({ ...account, data, replayed })
  )
  return { ...account, tool: name, data: read, replayed }
})

/** Makes both forms of `Call` from the call by name. */
const makeCall = (byName: (call: ToolCall) => Effect.Effect<CallOutcome, CallRefusal>): Call => {
  const named = (call: ToolCall) => {
    const outcome = byName(call)
    // Without a tracer, no span is made.
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
  ): Effect.Effect<Answered<S>, CallRefusal | CallFailed | AnswerUnreadable>
  function call(call: ToolCall): Effect.Effect<CallOutcome, CallRefusal>
  function call(...asked: readonly [ToolCall] | readonly [ToolSpecification, TypedCall<ToolSpecification>]) {
    if (asked.length === 1) return named(asked[0])
    const [tool, call] = asked
    return Effect.flatMap(named({ ...call, name: tool.name }), (outcome) => read(tool, outcome))
  }
  return call
}
