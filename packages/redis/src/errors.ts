import { StoreUnavailable } from "@tapeline/core/engine"
import type { RedisError } from "effect/persistence/Redis"
import {
  ClientClosedError,
  ClientOfflineError,
  DisconnectsClientError,
  ErrorReply,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError
} from "redis"

/**
 * Returns the loggable parts of a failure: the error's name, and the error code or the first word of the server's
 * error. The rest of an error message is omitted, because error messages may quote values.
 */
export const describeError = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "unknown"
  const code = cause instanceof ErrorReply
    ? /^[A-Z]+/.exec(cause.message)?.[0]
    : "code" in cause
    ? String(cause.code)
    : undefined
  return [cause.constructor.name, code].filter(Boolean).join(" ")
}

const connectionErrors = [
  ClientClosedError,
  ClientOfflineError,
  DisconnectsClientError,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError
]

const isConnectionLost = (cause: unknown): boolean =>
  connectionErrors.some((error) => cause instanceof error) ||
  (cause instanceof Error && "code" in cause && /^E[A-Z]+$/.test(String(cause.code)))

/** All connection failures have the same reason, so that logs count the failures together. */
const noConnectionReason = "no connection"

const makeUnavailable = (store: string, reason: string) => new StoreUnavailable({ store, cause: new Error(reason) })

export const toStoreUnavailable = (store: string, { cause }: RedisError): StoreUnavailable =>
  makeUnavailable(store, isConnectionLost(cause) ? noConnectionReason : describeError(cause))

export const makeTimeoutError = (store: string): StoreUnavailable => makeUnavailable(store, "no response in time")

export const connectionLostError: StoreUnavailable = makeUnavailable("Redis", noConnectionReason)
