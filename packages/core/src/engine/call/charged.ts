import { Effect, Exit, Fiber, FiberSet, Option, Predicate } from "effect"
import { type Plans, plansAbove } from "../access/plan.ts"
import type { Ledger } from "../credits/Ledger.ts"
import type { Admission } from "../credits/LedgerStore.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { CallableTool } from "./callable.ts"
import { type JudgedCall, runAdmitted, timed } from "./ending.ts"
import type { CallOutcome } from "./envelope.ts"
import {
  type CallRefusal,
  type ChargeInDoubt,
  type IdempotencyKeyReused,
  OverLimit,
  type RequestInProgress
} from "./errors.ts"
import { recalled } from "./recollection.ts"

/** The services and settings that charge a call. */
export interface Charging {
  readonly ledger: Ledger["Service"]
  readonly plans: Plans["Service"]
  /** The time from a call's last possible end until its reservation lapses. */
  readonly graceMs: number
  /** The calls that can continue after their callers left. The end of the set interrupts them. */
  readonly completing: FiberSet.FiberSet<CallOutcome, CallRefusal>
}

/**
 * The lease of a reservation for a call of the tool. A call that commits within its time limit has twice that limit.
 */
export const leaseMsOf = ({ graceMs }: Charging, { limitMs, specification }: CallableTool): number =>
  limitMs * (specification.completesWhenAbandoned === true ? 2 : 1) + graceMs

type NotAdmitted = OverLimit | RequestInProgress | IdempotencyKeyReused

/** Converts the ledger's negative admission to an error or a replayed outcome. */
const notAdmitted = (
  charging: Charging,
  { principal, tool }: JudgedCall,
  admission: Exclude<Admission, { readonly _tag: "Admitted" }>
): Effect.Effect<CallOutcome, NotAdmitted> => {
  const { credits, name } = tool.specification
  switch (admission._tag) {
    case "Refused": {
      const { allotted, creditsLeft: credits_left, renewsAt } = admission
      return Effect.fail(
        new OverLimit({ price: credits, credits_left, upgrades: plansAbove(charging.plans.table, allotted), renewsAt })
      )
    }
    case "NoAccount":
      return Effect.die(new Error(`account ${principal.account} is gone`))
    case "QuotaReached":
      return Effect.die(new Error(`${name} has no quota`))
    default:
      return recalled(tool, admission, leaseMsOf(charging, tool))
  }
}

/** True for a call whose reservation the ledger ends automatically. Its caller need not wait for that. */
const isInDoubt = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Option.exists(Exit.findErrorOption(exit), Predicate.isTagged("ChargeInDoubt"))

/** Counts a call that died, failed or was interrupted. */
const countBroken = ({ startedAt, tool }: JudgedCall) =>
  timed(startedAt, (took_ms) => tool.measure("failed", took_ms, Effect.void))

/** Reserves the credits of a call, runs the call, and settles or releases the reservation, however the call ends. */
const paid = (charging: Charging, call: JudgedCall) => {
  const { ledger } = charging
  const { idempotency, principal, tool } = call
  return Effect.acquireUseRelease(
    ledger.reserve({
      account: principal.account,
      actor: principal.actor,
      tool: tool.specification.name,
      credits: tool.specification.credits,
      ttlMs: leaseMsOf(charging, tool),
      idempotency
    }),
    (admission): Effect.Effect<CallOutcome, NotAdmitted | StoreUnavailable | ChargeInDoubt> =>
      admission._tag === "Admitted" ? runAdmitted(ledger, call, admission) : notAdmitted(charging, call, admission),
    (admission, exit) =>
      admission._tag === "Admitted" && Exit.isFailure(exit) && !isInDoubt(exit)
        ? Effect.andThen(countBroken(call), Effect.ignore(ledger.release(admission.reservation)))
        : Effect.void
  )
}

/**
 * Runs a call that pays for itself. An interrupted caller ends the call unless the call is committed. A committed call
 * continues and is charged. Otherwise a caller could read what a script found from the time of its end, and disconnect
 * to pay nothing.
 */
export const charged = (charging: Charging, call: JudgedCall): Effect.Effect<CallOutcome, CallRefusal> => {
  const { commitment } = call
  if (commitment === undefined) return paid(charging, call)
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(FiberSet.run(charging.completing, paid(charging, call)), (fiber) =>
      Effect.onInterrupt(
        restore(Fiber.join(fiber)),
        () => commitment.isCommitted() ? Effect.void : Fiber.interrupt(fiber)
      ))
  )
}
