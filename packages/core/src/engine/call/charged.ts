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

/** What charging a call needs. */
export interface Charging {
  readonly ledger: Ledger["Service"]
  readonly plans: Plans["Service"]
  /** A reservation lapses so long after its call must have ended. */
  readonly graceMs: number
  /** The calls that can go on after their callers left. The end of the set interrupts them. */
  readonly completing: FiberSet.FiberSet<CallOutcome, CallRefusal>
}

/** How long a call of the tool is reserved. A call that commits within its time limit has twice that limit. */
export const leaseMsOf = ({ graceMs }: Charging, { limitMs, specification }: CallableTool): number =>
  limitMs * (specification.completesWhenAbandoned === true ? 2 : 1) + graceMs

type NotAdmitted = OverLimit | RequestInProgress | IdempotencyKeyReused

/** What a call comes to that was not admitted. */
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

/** True for a call whose reservation the ledger ends by itself: to wait for that would keep the caller waiting. */
const isInDoubt = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Option.exists(Exit.findErrorOption(exit), Predicate.isTagged("ChargeInDoubt"))

/** Counts a call that broke, or whose caller left. */
const countBroken = ({ startedAt, tool }: JudgedCall) =>
  timed(startedAt, (took_ms) => tool.measure("failed", took_ms, Effect.void))

/** Reserves the credits of a call, runs it, and settles or releases the reservation, whichever way the call ends. */
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
 * A call that pays for itself. An interrupted caller ends it, unless it is committed: then it goes on, and is charged.
 * Otherwise a caller could read what a script found from the time of its end, and hang up to pay nothing.
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
