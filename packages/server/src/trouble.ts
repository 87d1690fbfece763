import { Cause, Predicate } from "effect"
import { isSqlError } from "effect/sql/SqlError"

/** Codes of a system or a database that is away, full, or going down. */
const away = /^(E[A-Z]+|08|53|57)/

const causeOf = (error: unknown): unknown => Predicate.isObject(error) && "cause" in error ? error.cause : undefined

/** What the world does to a service, and no code of it caused: where it was noticed says nothing. */
const isTrouble = (error: unknown): boolean => {
  if (isSqlError(error)) {
    const under = causeOf(error.reason)
    const code = Predicate.isObject(under) && "code" in under ? under.code : undefined
    return error.isRetryable || (typeof code === "string" && away.test(code))
  }
  // The cluster's stores wrap whatever befell them.
  if (Predicate.isTagged(error, "PersistenceError")) {
    const under = causeOf(error)
    return Predicate.isTagged(under, "TimeoutError") || isTrouble(under)
  }
  return ["StoreUnavailable", "NotReady", "ChargeInDoubt", "RedisUnavailable", "DatabaseUnavailable"].some((tag) =>
    Predicate.isTagged(error, tag)
  )
}

/** An error's message and those of what caused it, on one line. */
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

/** Whether stores were away and nothing else failed. A charge in doubt is not among these: each is for an operator. */
export const isStoreTrouble = (cause: Cause.Cause<unknown>): boolean => {
  const errors = errorsIn(cause)
  return errors.length > 0 && errors.every((error) => isTrouble(error) && !Predicate.isTagged(error, "ChargeInDoubt"))
}

/** A cause of nothing but expected troubles on one line, without stacks; undefined of any other. */
export const troubleIn = (cause: Cause.Cause<unknown>): string | undefined => {
  const errors = errorsIn(cause)
  return errors.length > 0 && errors.every(isTrouble) ? [...new Set(errors.map(told))].join("; ") : undefined
}
