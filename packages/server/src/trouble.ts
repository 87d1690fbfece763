import { Cause, Predicate } from "effect"
import { isSqlError } from "effect/sql/SqlError"

/** Error codes of a system or a database that is unavailable, full, or shutting down. */
const away = /^(E[A-Z]+|08|53|57)/

const causeOf = (error: unknown): unknown => Predicate.isObject(error) && "cause" in error ? error.cause : undefined

/**
 * Returns whether an error has an external cause, such as an unavailable store. The stack of such an error explains
 * nothing.
 */
const isTrouble = (error: unknown): boolean => {
  if (isSqlError(error)) {
    const under = causeOf(error.reason)
    const code = Predicate.isObject(under) && "code" in under ? under.code : undefined
    return error.isRetryable || (typeof code === "string" && away.test(code))
  }
  // The cluster's stores wrap the original error.
  if (Predicate.isTagged(error, "PersistenceError")) {
    const under = causeOf(error)
    return Predicate.isTagged(under, "TimeoutError") || isTrouble(under)
  }
  return ["StoreUnavailable", "NotReady", "ChargeInDoubt", "RedisUnavailable", "DatabaseUnavailable"].some((tag) =>
    Predicate.isTagged(error, tag)
  )
}

/** An error's message and the messages of its causes, on one line. */
const told = (error: unknown): string => {
  const messages: Array<string> = []
  for (let at = error, depth = 0; Predicate.isObject(at) && depth < 5; at = causeOf(at), depth += 1) {
    const text = at instanceof Error ? at.message.replace(/\s+/g, " ").trim() : ""
    if (text !== "" && !messages.includes(text)) messages.push(text)
  }
  return messages.length === 0 ? String(error) : messages.join(": ")
}

const errorsIn = (cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  cause.reasons.flatMap((reason) =>
    Cause.isFailReason(reason) ? [reason.error] : Cause.isDieReason(reason) ? [reason.defect] : []
  )

/**
 * Returns whether a cause contains only store failures. A charge in doubt is not one of them: an operator needs to see
 * each one.
 */
export const isStoreTrouble = (cause: Cause.Cause<unknown>): boolean => {
  const errors = errorsIn(cause)
  return errors.length > 0 && errors.every((error) => isTrouble(error) && !Predicate.isTagged(error, "ChargeInDoubt"))
}

/**
 * Describes a cause that consists only of expected failures, on one line without stacks. Undefined for any other cause.
 */
export const troubleIn = (cause: Cause.Cause<unknown>): string | undefined => {
  const errors = errorsIn(cause)
  return errors.length > 0 && errors.every(isTrouble) ? [...new Set(errors.map(told))].join("; ") : undefined
}
