import { Effect, Exit, Option, Predicate } from "effect"
import { type Plans, plansAbove } from "../access/plan.ts"
import type { Ledger } from "../credits/Ledger.ts"
import type { Admission } from "../credits/LedgerStore.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { elapsedMs, type JudgedCall, runAdmitted } from "./ending.ts"
import type { CallOutcome } from "./envelope.ts"
import { type ChargeInDoubt, type IdempotencyKeyReused, OverLimit, type RequestInProgress } from "./errors.ts"
import { measure } from "./measures.ts"
import { recalled } from "./recollection.ts"

/** What charging a call needs. */
export interface Charging {
  readonly ledger: Ledger["Service"]
  readonly plans: Plans["Service"]
  /** A reservation lapses so long after its tool's limit. */
  readonly graceMs: number
}

/** What a call comes to by its admission. */
const admittedOrNot = Effect.fnUntraced(function*(
  { ledger, plans }: Charging,
  call: JudgedCall,
  admission: Admission
): Effect.fn.Return<
  CallOutcome,
  OverLimit | RequestInProgress | IdempotencyKeyReused | StoreUnavailable | ChargeInDoubt
> {
  const { credits, name } = call.tool.specification
  switch (admission._tag) {
    case "Admitted":
      return yield* runAdmitted(ledger, call, admission)
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
      return yield* recalled(call.tool, admission)
  }
})

/** True for a call whose reservation the ledger ends by itself: to wait for that would keep the caller waiting. */
const isInDoubt = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Option.exists(Exit.findErrorOption(exit), Predicate.isTagged("ChargeInDoubt"))

/** Counts a call that broke, or whose caller left. */
const countBroken = ({ startedAt, tool }: JudgedCall) =>
  Effect.flatMap(elapsedMs(startedAt), (took_ms) => measure(tool.specification.name, "failed", took_ms))

/** A call that pays for itself: reserved, run, and settled or released, whichever way it ends. */
export const charged = (charging: Charging, call: JudgedCall) => {
  const { graceMs, ledger } = charging
  const { idempotency, principal, tool } = call
  return Effect.acquireUseRelease(
    ledger.reserve({
      account: principal.account,
      actor: principal.actor,
      tool: tool.specification.name,
      credits: tool.specification.credits,
      ttlMs: tool.limitMs + graceMs,
      idempotency
    }),
    (admission) => admittedOrNot(charging, call, admission),
    (admission, exit) =>
      admission._tag === "Admitted" && Exit.isFailure(exit) && !isInDoubt(exit)
        ? Effect.andThen(countBroken(call), Effect.ignore(ledger.release(admission.reservation)))
        : Effect.void
  )
}
