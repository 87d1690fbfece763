import type { RedisError } from "effect/persistence/Redis"
import { ErrorReply } from "redis"

/**
 * What may be told of a failure: the error's name, and the system's code or the server's code word. The rest of a
 * message is left out, for it may quote values.
 */
export const named = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "unknown"
  const code = cause instanceof ErrorReply
    ? /^[A-Z]+/.exec(cause.message)?.[0]
    : "code" in cause
    ? String(cause.code)
    : undefined
  return [cause.constructor.name, code].filter(Boolean).join(" ")
}

/** The same of a failure as the client's own interface tells it. */
export const describe = ({ cause }: RedisError): string => named(cause)
