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
  OverLimit,
  type RequestInProgress
} from "./errors.ts"
import { replayOutcome } from "./replay.ts"

/** The services and settings that charge a call. */
export interface ChargingServices {
  readonly ledger: Ledger["Service"]
  readonly plans: Plans["Service"]
  /** The time from a call's last possible end until its reservation lapses. */
  readonly graceMs: number
  /** The calls that can continue after their callers left. The end of the set interrupts them. */
  readonly committedCalls: FiberSet.FiberSet<CallOutcome, CallRejection>
}

/**
 * The lease of a reservation for a call of the tool. A call that commits within its time limit has twice that limit.
 */
export const leaseMsOf = ({ graceMs }: ChargingServices, { limitMs, specification }: CompiledTool): number =>
  limitMs * (specification.completesWhenAbandoned === true ? 2 : 1) + graceMs

type NotAdmittedError = OverLimit | RequestInProgress | IdempotencyKeyReused

/** Converts the ledger's negative admission to an error or a replayed outcome. */
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
    case "NoAccount":
      return Effect.die(new Error(`account ${principal.account} is gone`))
    case "QuotaReached":
      return Effect.die(new Error(`${name} has no quota`))
    default:
      return replayOutcome(tool, admission, leaseMsOf(services, tool))
  }
}

/** True for a call whose reservation the ledger ends automatically. Its caller need not wait for that. */
const isInDoubt = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Option.exists(Exit.findErrorOption(exit), Predicate.isTagged("ChargeInDoubt"))

/** Counts a call that died, failed or was interrupted. */
const countFailedCall = ({ startedAt, tool }: CheckedCall) =>
  withElapsedMs(startedAt, (took_ms) => tool.countCall("failed", took_ms, Effect.void))

/** Reserves the credits of a call, runs the call, and settles or releases the reservation, however the call ends. */
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
 * Runs a call that pays for itself. An interrupted caller ends the call unless the call is committed. A committed call
 * continues and is charged. Otherwise a caller could read what a script found from the time of its end, and disconnect
 * to pay nothing.
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
