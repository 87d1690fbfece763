import { Clock, Context, Duration, Effect, Exit, Layer, Metric, Option, Predicate, Result, Schema } from "effect"
import type { Principal } from "../access/account.ts"
import { Plans, plansAbove } from "../access/plan.ts"
import { grants } from "../access/scope.ts"
import { Ledger } from "../credits/Ledger.ts"
import { type Idempotency, maxAnswerBytes, type Recollection, type Reservation } from "../credits/LedgerStore.ts"
import { sayIssues } from "../messages/issue.ts"
import { type Language, say } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { scopesAny } from "../tool/area.ts"
import { ToolFailure } from "../tool/failure.ts"
import type { ReadyTool } from "../tool/implement.ts"
import { timeoutMs, type ToolSpecification } from "../tool/specification.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import type { Envelope, FailedData } from "./envelope.ts"
import {
  ChargeInDoubt,
  IdempotencyKeyReused,
  InvalidArguments,
  OverLimit,
  RequestInProgress,
  ScopeRequired,
  UnknownTool,
  UserIdNotAccepted
} from "./errors.ts"
import { fingerprint } from "./fingerprint.ts"

/** How long calls, and what outlives them, last. */
export const CallSettings = Context.Reference<{
  /** The longest that any tool may run; its own limit holds where it is shorter. */
  readonly toolTimeout: Duration.Input
  /** A reservation lapses this long after its tool's timeout, should the process die. */
  readonly reservationGrace: Duration.Input
  /** How long the first answer of an idempotency key is replayed. */
  readonly replayFor: Duration.Input
}>("@tapeline/core/call/CallSettings", {
  defaultValue: () => ({ toolTimeout: "30 seconds", reservationGrace: "30 seconds", replayFor: "24 hours" })
})

export interface ToolCall {
  readonly principal: Principal
  readonly name: string
  readonly arguments: unknown
  /** Of messages; English by default. */
  readonly language?: Language | undefined
  /** Under the same key of the same account, the same request is answered once and charged once. */
  readonly idempotencyKey?: string | undefined
  /** Who pays; a reservation of the call's own by default. */
  readonly payer?: Payer | undefined
}

/** What pays for a call. */
export type Payer =
  /** A reservation of its own. */
  | { readonly _tag: "Own" }
  /**
   * The reservation of the answer whose price covers its calls; nothing more is reserved. `call` names the call among
   * those of the answer, in the same way when the answer makes it again.
   */
  | { readonly _tag: "Answer"; readonly reservation: Reservation; readonly call: string }

export interface CallOutcome {
  readonly envelope: Envelope
  /** True when this is the stored answer of an earlier call with the same idempotency key. */
  readonly replayed: boolean
}

/** Why a call was refused. Nothing was charged, and nothing ran; except that of a `ChargeInDoubt` neither is known. */
export type CallRefusal =
  | UserIdNotAccepted
  | UnknownTool
  | ScopeRequired
  | InvalidArguments
  | IdempotencyKeyReused
  | RequestInProgress
  | OverLimit
  | StoreUnavailable
  | ChargeInDoubt

const strict = { errors: "all", onExcessProperty: "error" } as const

/** Calls that ran, by tool and outcome: `ok` was charged, `failed` was not. */
const calls = Metric.counter("tapeline_calls", { description: "Tool calls that ran", incremental: true })

/** How long calls took that ran, by tool. */
const durations = Metric.histogram("tapeline_call_duration_ms", {
  description: "Duration of tool calls, milliseconds",
  boundaries: Metric.exponentialBoundaries({ start: 1, factor: 2, count: 15 })
})

const measure = (tool: string, outcome: "ok" | "failed", took_ms: number) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(calls, { tool, outcome }), 1),
    Metric.update(Metric.withAttributes(durations, { tool }), took_ms)
  )

const orInDoubt = <A>(settlement: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A, ChargeInDoubt> =>
  Effect.mapError(settlement, (cause) => new ChargeInDoubt({ cause }))

/** True for a call whose reservation the ledger ends by itself: to wait for that would keep the caller waiting. */
const isInDoubt = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Option.exists(Exit.findErrorOption(exit), Predicate.isTagged("ChargeInDoubt"))

const encoder = new TextEncoder()

/** An envelope as it is kept for a replay. One too long to be kept could not be replayed, so it is a defect instead. */
const storable = (envelope: Envelope): Effect.Effect<string> => {
  const text = JSON.stringify(envelope)
  return encoder.encode(text).length <= maxAnswerBytes
    ? Effect.succeed(text)
    : Effect.die(new Error(`the result of ${envelope.tool} is longer than ${maxAnswerBytes} bytes`))
}

interface Codecs {
  readonly decode: (input: unknown) => Effect.Effect<unknown, Schema.SchemaError>
  readonly encode: (result: unknown) => Effect.Effect<unknown, Schema.SchemaError>
}

/**
 * The single way in for every tool call, whoever makes it. In this order: refuse `user_id`, find the tool, check the
 * scope, replay, decode the arguments, reserve, run under the tool's timeout, settle or release.
 *
 * A call that fails, times out, is interrupted or breaks charges nothing. A result that its schema does not hold is a
 * defect.
 */
export class ToolCaller extends Context.Service<ToolCaller, {
  readonly call: (call: ToolCall) => Effect.Effect<CallOutcome, CallRefusal>
}>()("@tapeline/core/call/ToolCaller") {
  static readonly layer: Layer.Layer<ToolCaller, never, Toolbox | Ledger | Plans> = Layer.effect(
    ToolCaller,
    Effect.gen(function*() {
      const toolbox = yield* Toolbox
      const ledger = yield* Ledger
      const plans = yield* Plans
      const settings = yield* CallSettings
      const longestMs = Duration.toMillis(settings.toolTimeout)
      const limitMsOf = (specification: ToolSpecification) => Math.min(timeoutMs(specification), longestMs)
      const graceMs = Duration.toMillis(settings.reservationGrace)
      const retainMs = Duration.toMillis(settings.replayFor)

      // Compiled once per tool.
      const codecs = new Map<ReadyTool, Codecs>(toolbox.tools.map((tool) => [tool, {
        decode: Schema.decodeUnknownEffect(tool.specification.parameters, strict),
        encode: Schema.encodeUnknownEffect(tool.specification.result, strict)
      }]))

      const run = (tool: ReadyTool, args: unknown, call: ToolCall, callId: string, language: Language) => {
        const limitMs = limitMsOf(tool.specification)
        return tool.handler(args, { principal: call.principal, language, callId }).pipe(
          Effect.timeoutOrElse({
            duration: limitMs,
            orElse: () =>
              Effect.fail(
                new ToolFailure({
                  code: "timeout",
                  says: { key: "timeout", params: { seconds: limitMs / 1000 } },
                  retryable: true
                })
              )
          }),
          Effect.flatMap((result) => Effect.orDie(codecs.get(tool)!.encode(result))),
          Effect.map(Result.succeed),
          // A failure of the tool is an answer; a store that is away refuses the call.
          Effect.catchTag("ToolFailure", (failure) => Effect.succeed(Result.fail(failure)))
        )
      }

      const failed = (failure: ToolFailure, language: Language): FailedData => ({
        error: {
          code: failure.code,
          message: typeof failure.says === "string" ? failure.says : say(failure.says, language),
          retryable: failure.retryable
        }
      })

      /** Runs an admitted call; what it comes to is settled or released before this ends, whichever way it ends. */
      const runAdmitted = (
        tool: ReadyTool,
        args: unknown,
        call: ToolCall,
        admitted: { readonly reservation: Reservation; readonly creditsLeft: number },
        startedAt: number
      ) =>
        Effect.gen(function*() {
          const { credits, name } = tool.specification
          const language = call.language ?? "en"
          const result = yield* run(tool, args, call, `${admitted.reservation.origin}`, language)
          const took_ms = Math.max(0, (yield* Clock.currentTimeMillis) - startedAt)
          if (result._tag === "Failure") {
            yield* measure(name, "failed", took_ms)
            // Uncharged either way: a release in doubt is tried again behind this call, or the reservation lapses.
            const { creditsLeft } = yield* Effect.uninterruptible(ledger.release(admitted.reservation)).pipe(
              Effect.catchTag("StoreUnavailable", () => Effect.succeed({ creditsLeft: admitted.creditsLeft + credits }))
            )
            return {
              tool: name,
              credits_used: 0,
              credits_left: creditsLeft,
              took_ms,
              data: failed(result.failure, language)
            }
          }
          const envelope: Envelope = {
            tool: name,
            credits_used: credits,
            credits_left: admitted.creditsLeft,
            took_ms,
            data: result.success
          }
          const answer = call.idempotencyKey === undefined ? null : yield* storable(envelope)
          const ending = yield* Effect.uninterruptible(orInDoubt(ledger.settle(admitted.reservation, answer)))
          yield* measure(name, ending._tag === "Ended" ? "ok" : "failed", took_ms)
          if (ending._tag === "Ended") return envelope
          // The reservation lapsed while the call ran (a process frozen for longer than its lease): nothing is charged.
          const lapsed = new ToolFailure({
            code: "timeout",
            says: { key: "timeout", params: { seconds: limitMsOf(tool.specification) / 1000 } },
            retryable: true
          })
          return {
            tool: name,
            credits_used: 0,
            credits_left: ending.creditsLeft,
            took_ms,
            data: failed(lapsed, language)
          }
        })

      const charged = (
        tool: ReadyTool,
        args: unknown,
        call: ToolCall,
        idempotency: Idempotency | null,
        startedAt: number
      ) => {
        const { credits, name } = tool.specification
        return Effect.acquireUseRelease(
          ledger.reserve({
            account: call.principal.account,
            actor: call.principal.actor,
            tool: name,
            credits,
            ttlMs: limitMsOf(tool.specification) + graceMs,
            idempotency
          }),
          Effect.fnUntraced(function*(admission) {
            switch (admission._tag) {
              case "Admitted":
                return { envelope: yield* runAdmitted(tool, args, call, admission, startedAt), replayed: false }
              case "Refused":
                return yield* new OverLimit({
                  price: credits,
                  credits_left: admission.creditsLeft,
                  upgrades: plansAbove(plans.table, admission.allotted),
                  renewsAt: admission.renewsAt
                })
              case "NoAccount":
                return yield* Effect.die(new Error(`account ${call.principal.account} is gone`))
              case "QuotaReached":
                return yield* Effect.die(new Error(`${name} has no quota`))
              default:
                return yield* recalled(admission)
            }
          }),
          (admission, exit) =>
            admission._tag === "Admitted" && Exit.isFailure(exit) && !isInDoubt(exit)
              ? Effect.ignore(ledger.release(admission.reservation))
              : Effect.void
        )
      }

      const recalled = Effect.fnUntraced(function*(
        found: Recollection
      ) {
        switch (found._tag) {
          case "Replayed":
            return { envelope: JSON.parse(found.answer) as Envelope, replayed: true }
          case "InProgress":
            return yield* new RequestInProgress({ retryAfterMs: Math.min(1000, Math.max(1, found.lapsesInMs)) })
          case "Reused":
            return yield* new IdempotencyKeyReused()
        }
      })

      const decode = (tool: ReadyTool, args: unknown, language: Language) =>
        Effect.mapError(
          codecs.get(tool)!.decode(args),
          (error) => new InvalidArguments({ issues: sayIssues(error.issue, language) })
        )

      const call = Effect.fnUntraced(function*(call: ToolCall): Effect.fn.Return<CallOutcome, CallRefusal> {
        const startedAt = yield* Clock.currentTimeMillis
        const language = call.language ?? "en"
        if (Predicate.hasProperty(call.arguments, "user_id")) return yield* new UserIdNotAccepted()
        const tool = toolbox.find(call.name)
        if (tool === undefined) return yield* new UnknownTool({ tool: call.name })
        const { area, name, scope } = tool.specification
        if (!grants(call.principal.scopes, scopesAny(scope, area))) {
          return yield* new ScopeRequired({ required_scope: scope })
        }

        if (call.payer?._tag === "Answer") {
          const callId = `${call.payer.reservation.origin}/${call.payer.call}`
          const result = yield* run(tool, yield* decode(tool, call.arguments, language), call, callId, language)
          const took_ms = Math.max(0, (yield* Clock.currentTimeMillis) - startedAt)
          yield* measure(name, result._tag === "Success" ? "ok" : "failed", took_ms)
          const data = result._tag === "Success" ? result.success : failed(result.failure, language)
          return { envelope: { tool: name, credits_used: 0, took_ms, data }, replayed: false }
        }

        const idempotency = call.idempotencyKey === undefined
          ? null
          : { key: call.idempotencyKey, fingerprint: yield* fingerprint(name, call.arguments), retainMs }
        if (idempotency !== null) {
          const found = yield* ledger.recall(call.principal.account, idempotency)
          if (found !== null) return yield* recalled(found)
        }
        const args = yield* decode(tool, call.arguments, language)
        return yield* charged(tool, args, call, idempotency, startedAt)
      })

      return ToolCaller.of({
        call: (request) =>
          call(request).pipe(
            Effect.withSpan("ToolCaller.call", { attributes: { tool: request.name } }, { captureStackTrace: false })
          )
      })
    })
  )
}
