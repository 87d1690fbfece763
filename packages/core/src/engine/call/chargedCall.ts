import { Effect, Exit, Fiber, FiberSet, Option, Predicate } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"
import { type CheckedCall, runAdmitted, withElapsedMs } from "./admittedCall.ts"
import { type ChargingServices, leaseMsOf, type NotAdmittedError, outcomeWithoutAdmission } from "./chargingServices.ts"
import type { CallOutcome } from "./envelope.ts"
import type { CallRejection, ChargeInDoubt } from "./errors.ts"
import { creditsWithoutReservation, findFlight, runUnreserved } from "./unreservedCall.ts"

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
        ? Effect.clockWith((clock) => {
          services.knownCredits.remember(principal, admission.creditsLeft, admission.reservation.month, clock)
          return runAdmitted(ledger, call, admission)
        })
        : outcomeWithoutAdmission(services, call, admission),
    (admission, exit) =>
      admission._tag === "Admitted" && Exit.isFailure(exit) && !isInDoubt(exit)
        ? Effect.andThen(countFailedCall(call), Effect.ignore(ledger.release(admission.reservation)))
        : Effect.void
  )
}

/**
 * Runs a call that pays its own credits. A call of a pure tool runs before its charge if the process knows that the
 * caller has enough credits. Every other call reserves its credits. If the caller is interrupted, a committed call
 * continues and is charged. If a committed call ended with its caller, the caller could learn a script's result from
 * its run time, and disconnect to avoid the charge.
 */
export const runCharged = (
  services: ChargingServices,
  call: CheckedCall
): Effect.Effect<CallOutcome, CallRejection> => {
  const { commitment } = call
  if (commitment === undefined) {
    return findFlight(services, call) ?? Effect.clockWith((clock) => {
      const creditsLeft = creditsWithoutReservation(services, call, clock)
      return creditsLeft === null ? runPaid(services, call) : runUnreserved(services, call, creditsLeft)
    })
  }
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(FiberSet.run(services.committedCalls, runPaid(services, call)), (fiber) =>
      Effect.onInterrupt(
        restore(Fiber.join(fiber)),
        () => commitment.isCommitted() ? Effect.void : Fiber.interrupt(fiber)
      ))
  )
}
