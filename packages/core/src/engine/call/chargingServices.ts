import { Effect, type FiberSet } from "effect"
import { type Plans, plansWithMoreCredits } from "../access/plan.ts"
import type { KnownCreditsCache } from "../credits/knownCredits.ts"
import type { Ledger } from "../credits/Ledger.ts"
import type { Admission } from "../credits/reservation.ts"
import type { CheckedCall } from "./admittedCall.ts"
import type { CompiledTool } from "./compiledTool.ts"
import type { CallOutcome } from "./envelope.ts"
import {
  type CallRejection,
  type IdempotencyKeyReused,
  KeyOverLimit,
  OverLimit,
  type RequestInProgress
} from "./errors.ts"
import { replayOutcome } from "./replay.ts"

/** The calls with idempotency keys that this process runs without a reservation. */
export type Flights = Map<string, { readonly fingerprint: string; readonly startedAt: number }>

/** The services and settings that are needed to charge a call. */
export interface ChargingServices {
  readonly ledger: Ledger["Service"]
  readonly plans: Plans["Service"]
  /** The time in ms that is added to a call's time limit to get the lifetime of its reservation. */
  readonly graceMs: number
  readonly knownCredits: KnownCreditsCache
  readonly flights: Flights
  /** The fibers of committed calls, which may continue after their callers are interrupted. */
  readonly committedCalls: FiberSet.FiberSet<CallOutcome, CallRejection>
}

/**
 * Returns the lifetime in ms of a call's reservation. For a tool that can commit calls, the lifetime covers the doubled
 * time limit.
 */
export const leaseMsOf = ({ graceMs }: ChargingServices, { limitMs, specification }: CompiledTool): number =>
  limitMs * (specification.completesWhenAbandoned === true ? 2 : 1) + graceMs

export type NotAdmittedError = OverLimit | KeyOverLimit | RequestInProgress | IdempotencyKeyReused

/** Returns the stored response of a repeated call, or fails with the reason why the call was not charged. */
export const outcomeWithoutAdmission = (
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
