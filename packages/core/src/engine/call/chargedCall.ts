import { Effect, Exit, Fiber, FiberSet, Option, Predicate } from "effect"
import { type Plans, plansWithMoreCredits } from "../access/plan.ts"
import type { Ledger } from "../credits/Ledger.ts"
import type { Admission } from "../credits/LedgerStore.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { type CheckedCall, runAdmitted, withElapsedMs } from "./admittedCall.ts"
import type { CompiledTool } from "./compiledTool.ts"
import type { CallOutcome } from "./envelope.ts"
import {
  type CallRejection,
  type ChargeInDoubt,
  type IdempotencyKeyReused,
  KeyOverLimit,
  OverLimit,
  type RequestInProgress
} from "./errors.ts"
import { replayOutcome } from "./replay.ts"

/** The services and settings that are needed to charge a call. */
export interface ChargingServices {
  readonly ledger: Ledger["Service"]
  readonly plans: Plans["Service"]
  /** The time in ms that is added to a call's time limit to get the lifetime of its reservation. */
  readonly graceMs: number
  /** The fibers of committed calls, which may continue after their callers are interrupted. */
  readonly committedCalls: FiberSet.FiberSet<CallOutcome, CallRejection>
}

/**
 * Returns the lifetime in ms of a call's reservation. For a tool that can commit calls, the lifetime covers the doubled
 * time limit.
 */
export const leaseMsOf = ({ graceMs }: ChargingServices, { limitMs, specification }: CompiledTool): number =>
  limitMs * (specification.completesWhenAbandoned === true ? 2 : 1) + graceMs

type NotAdmittedError = OverLimit | KeyOverLimit | RequestInProgress | IdempotencyKeyReused

/** Returns the stored response of a repeated call, or fails with the reason why no credits were reserved. */
const outcomeWithoutAdmission = (
  services: ChargingServices,
  { principal, tool }: CheckedCall,
  admission: Exclude<Admission, { readonly _tag: "Admitted" }>
): Effect.Effect<CallOutcome, NotAdmittedError> => {
  const { credits, name } = tool.specification
  switch (admission._tag) {
    case "Refused": {
      const { monthlyCredits, creditsLeft: credits_left, renewsAt } = admission
      return Effect.fail(
        new OverLimit({
          price: credits,
          credits_left,
          upgrades: plansWithMoreCredits(services.plans.table, monthlyCredits),
          renewsAt
        })
      )
    }
    case "KeyLimitReached": {
      const { creditsLeft: credits_left, monthlyCredits: monthly_credits, renewsAt } = admission
      return Effect.fail(new KeyOverLimit({ price: credits, credits_left, monthly_credits, renewsAt }))
    }
    case "NoAccount":
      return Effect.die(new Error(`account ${principal.account} does not exist`))
    case "QuotaReached":
      return Effect.die(new Error(`${name} has no quota`))
    default:
      return replayOutcome(tool, admission, leaseMsOf(services, tool))
  }
}

/**
 * Returns whether a call failed with `ChargeInDoubt`. After `ChargeInDoubt`, the ledger ends the reservation
 * automatically.
 */
const isInDoubt = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Option.exists(Exit.findErrorOption(exit), Predicate.isTagged("ChargeInDoubt"))

const countFailedCall = ({ startedAt, tool }: CheckedCall) =>
  withElapsedMs(startedAt, (took_ms) => tool.countCall("failed", took_ms, Effect.void))

const runPaid = (services: ChargingServices, call: CheckedCall) => {
  const { ledger } = services
  const { idempotency, principal, tool } = call
  return Effect.acquireUseRelease(
    ledger.reserve({
      account: principal.account,
      actor: principal.actor,
      tool: tool.specification.name,
      credits: tool.specification.credits,
      ttlMs: leaseMsOf(services, tool),
      idempotency
    }),
    (admission): Effect.Effect<CallOutcome, NotAdmittedError | StoreUnavailable | ChargeInDoubt> =>
      admission._tag === "Admitted"
        ? runAdmitted(ledger, call, admission)
        : outcomeWithoutAdmission(services, call, admission),
    (admission, exit) =>
      admission._tag === "Admitted" && Exit.isFailure(exit) && !isInDoubt(exit)
        ? Effect.andThen(countFailedCall(call), Effect.ignore(ledger.release(admission.reservation)))
        : Effect.void
  )
}

/**
 * Runs a call that reserves and pays its own credits. If the caller is interrupted, a committed call continues and is
 * charged. If a committed call ended with its caller, the caller could learn a script's result from its run time, and
 * disconnect to avoid the charge.
 */
export const runCharged = (
  services: ChargingServices,
  call: CheckedCall
): Effect.Effect<CallOutcome, CallRejection> => {
  const { commitment } = call
  if (commitment === undefined) return runPaid(services, call)
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(FiberSet.run(services.committedCalls, runPaid(services, call)), (fiber) =>
      Effect.onInterrupt(
        restore(Fiber.join(fiber)),
        () => commitment.isCommitted() ? Effect.void : Fiber.interrupt(fiber)
      ))
  )
}
