import { Clock, Effect, Exit } from "effect"
import { formatCallId } from "../credits/callId.ts"
import type { ChargeResult, UnreservedCall } from "../credits/charge.ts"
import { monthOf } from "../credits/month.ts"
import type { Idempotency } from "../credits/reservation.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { ToolFailure } from "../tool/failure.ts"
import { type CheckedCall, withElapsedMs } from "./admittedCall.ts"
import { type ChargingServices, leaseMsOf, type NotAdmittedError, outcomeWithoutAdmission } from "./chargingServices.ts"
import { type CallOutcome, type Envelope, makeFailedOutcome } from "./envelope.ts"
import { ChargeInDoubt, type IdempotencyKeyReused, type RequestInProgress } from "./errors.ts"
import { encodeForReplay, replayOutcome } from "./replay.ts"

const flightIdOf = ({ principal }: CheckedCall, { key }: Idempotency): string => `${principal.account}/${key}`

/**
 * Returns the rejection of a call whose idempotency key another call of this process uses, or null if no call uses the
 * key.
 */
export const findFlight = (
  services: ChargingServices,
  call: CheckedCall
): Effect.Effect<CallOutcome, RequestInProgress | IdempotencyKeyReused> | null => {
  const { idempotency, tool } = call
  const flight = idempotency === null ? undefined : services.flights.get(flightIdOf(call, idempotency))
  if (flight === undefined) return null
  if (flight.fingerprint !== idempotency!.fingerprint) return replayOutcome(tool, { _tag: "Reused" }, 0)
  const leaseMs = leaseMsOf(services, tool)
  return Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => replayOutcome(tool, { _tag: "InProgress", lapsesInMs: leaseMs - (now - flight.startedAt) }, leaseMs)
  )
}

/**
 * Returns the credits left of a call that may run before its charge, or null if the call needs a reservation. An
 * account or key with few credits always needs a reservation, so that a call that it cannot pay does not run.
 */
export const creditsWithoutReservation = (
  { knownCredits, plans: { table } }: ChargingServices,
  { principal, proposal, tool: { specification } }: CheckedCall,
  clock: Clock.Clock
): number | null => {
  const { account, actor, plan } = principal
  if (specification.pure !== true || proposal !== undefined || !Object.hasOwn(table, plan)) return null
  return knownCredits.enough({ account, actor, requestsPerMinute: table[plan]!.requests_per_minute }, clock)
}

const countFailed = ({ ledger }: ChargingServices, call: CheckedCall, unreserved: UnreservedCall) =>
  withElapsedMs(call.startedAt, (took_ms) => call.tool.countCall("failed", took_ms, ledger.recordFailure(unreserved)))

const failedOutcome = (
  services: ChargingServices,
  call: CheckedCall,
  unreserved: UnreservedCall,
  failure: ToolFailure,
  creditsLeft: number
): Effect.Effect<CallOutcome> => {
  const { language, startedAt, tool } = call
  return Effect.clockWith((clock) => {
    const callId = formatCallId({ month: monthOf(clock.currentTimeMillisUnsafe()), entry: unreserved.id })
    return Effect.andThen(
      countFailed(services, call, unreserved),
      withElapsedMs(startedAt, (took_ms) =>
        Effect.succeed(makeFailedOutcome(
          { tool: tool.specification.name, credits_left: creditsLeft, took_ms },
          failure,
          language,
          callId
        )))
    )
  })
}

/**
 * Returns the outcome of a call that ran, according to the result of its charge. A call that is not charged is rejected
 * or replayed, so that it does not count as a call of the tool.
 */
const chargedOutcome = (
  services: ChargingServices,
  call: CheckedCall,
  envelope: Envelope,
  result: ChargeResult
): Effect.Effect<CallOutcome, NotAdmittedError> => {
  const { principal, tool } = call
  if (result._tag !== "Charged") {
    if (result._tag === "Refused" || result._tag === "KeyLimitReached") services.knownCredits.forget(principal.account)
    return outcomeWithoutAdmission(services, call, result)
  }
  return Effect.clockWith((clock) => {
    services.knownCredits.remember(principal, result.creditsLeft, result.call.month, clock)
    const { credits_used, data, tool: name, took_ms } = envelope
    const outcome: CallOutcome = {
      // The order of the fields is that of a replayed response.
      envelope: { tool: name, credits_used, credits_left: result.creditsLeft, took_ms, data },
      failure: null,
      replayed: false,
      callId: formatCallId(result.call)
    }
    return tool.countCall("ok", envelope.took_ms, Effect.succeed(outcome))
  })
}

/** A call that ran successfully, with the response to store under its idempotency key. */
interface RanCall {
  readonly envelope: Envelope
  readonly response: string | null
}

const runAndCharge = (
  services: ChargingServices,
  call: CheckedCall,
  unreserved: UnreservedCall,
  knownLeft: number
): Effect.Effect<CallOutcome, NotAdmittedError | StoreUnavailable | ChargeInDoubt> => {
  const { args, idempotency, language, makeParts, principal, startedAt, tool } = call
  const { credits: credits_used, name } = tool.specification
  const { account, id } = unreserved
  const makeEnvelope = (data: unknown): Effect.Effect<RanCall> =>
    withElapsedMs(startedAt, (took_ms): Effect.Effect<RanCall> => {
      const envelope: Envelope = { tool: name, credits_used, took_ms, data }
      return idempotency === null
        ? Effect.succeed({ envelope, response: null })
        : Effect.map(encodeForReplay(envelope), (response) => ({ envelope, response }))
    })
  return tool.run(args, {
    principal,
    language,
    callId: `${id}`,
    limitMs: tool.limitMs,
    conversation: null,
    parts: makeParts({ reservation: { account, origin: id }, call: "parts" })
  }, undefined).pipe(
    Effect.flatMap((toolResult): Effect.Effect<RanCall | { readonly failure: ToolFailure }> =>
      toolResult._tag === "Failure"
        ? Effect.succeed({ failure: toolResult.failure })
        : makeEnvelope(toolResult.success)
    ),
    Effect.onExit((exit) => Exit.isFailure(exit) ? countFailed(services, call, unreserved) : Effect.void),
    Effect.flatMap((ran): Effect.Effect<CallOutcome, NotAdmittedError | ChargeInDoubt> => {
      if ("failure" in ran) return failedOutcome(services, call, unreserved, ran.failure, knownLeft)
      const charge = services.ledger.charge({ ...unreserved, idempotency, response: ran.response })
      return Effect.flatMap(
        Effect.mapError(Effect.uninterruptible(charge), (cause) => new ChargeInDoubt({ cause })),
        (result) => chargedOutcome(services, call, ran.envelope, result)
      )
    })
  )
}

/**
 * Runs a call of a pure tool, and then charges it with a single durable write. A call that fails, or whose caller
 * disconnects before the charge, is not charged. If the charge is refused, the result is discarded.
 */
export const runUnreserved = (
  services: ChargingServices,
  call: CheckedCall,
  knownLeft: number
): Effect.Effect<CallOutcome, NotAdmittedError | StoreUnavailable | ChargeInDoubt> => {
  const { idempotency, principal: { account, actor }, startedAt, tool: { specification } } = call
  const run = Effect.flatMap(
    services.ledger.takeCallId,
    (id) =>
      runAndCharge(
        services,
        call,
        { id, account, actor, tool: specification.name, credits: specification.credits },
        knownLeft
      )
  )
  if (idempotency === null) return run
  const flightId = flightIdOf(call, idempotency)
  return Effect.acquireUseRelease(
    Effect.sync(() => services.flights.set(flightId, { fingerprint: idempotency.fingerprint, startedAt })),
    () => run,
    () => Effect.sync(() => services.flights.delete(flightId))
  )
}
