import type { StoreUnavailable } from "@tapeline/core"
import { Cause, Clock, Context, Effect, Exit, Latch, Layer, Predicate } from "effect"
import { isSqlError } from "effect/sql/SqlError"

/** Matches the error codes of an operating system or a database that is unavailable, full, or shutting down. */
const outageCodes = /^(E[A-Z]+|08|53|57)/

/** The message of the error that `Cause.squash` returns for an interruption. */
const interruptionMessage = "All fibers interrupted without error"

const causeOf = (error: unknown): unknown => Predicate.isObject(error) && "cause" in error ? error.cause : undefined

/**
 * Returns whether an error has an external cause, such as an unavailable store. The stack of an error with an external
 * cause is not useful.
 */
const isOutageError = (error: unknown): boolean => {
  if (isSqlError(error)) {
    const cause = causeOf(error.reason)
    const code = Predicate.isObject(cause) && "code" in cause ? cause.code : undefined
    return error.isRetryable || (typeof code === "string" && outageCodes.test(code))
  }
  // The cluster's stores wrap the original error in a `PersistenceError`. They interrupt the statements of a lost
  // session.
  if (Predicate.isTagged(error, "PersistenceError")) {
    const cause = causeOf(error)
    const isInterruption = cause instanceof Error && cause.message === interruptionMessage
    return isInterruption || Predicate.isTagged(cause, "TimeoutError") || isOutageError(cause)
  }
  return ["StoreUnavailable", "NotReady", "ChargeInDoubt", "RedisUnavailable", "DatabaseUnavailable"].some((tag) =>
    Predicate.isTagged(error, tag)
  )
}

const joinMessages = (error: unknown): string => {
  const messages: Array<string> = []
  for (
    let current = error, depth = 0;
    Predicate.isObject(current) && depth < 5;
    current = causeOf(current), depth += 1
  ) {
    const text = current instanceof Error ? current.message.replace(/\s+/g, " ").trim() : ""
    if (text !== "" && !messages.includes(text)) messages.push(text)
  }
  return messages.length === 0 ? String(error) : messages.join(": ")
}

const errorsIn = (cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  cause.reasons.flatMap((reason) =>
    Cause.isFailReason(reason) ? [reason.error] : Cause.isDieReason(reason) ? [reason.defect] : []
  )

/**
 * Describes a cause with only external failures on one line without stacks. Returns undefined if the cause contains a
 * failure that is not external.
 */
export const outageMessageOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const errors = errorsIn(cause)
  return errors.length > 0 && errors.every(isOutageError)
    ? [...new Set(errors.map(joinMessages))].join("; ")
    : undefined
}

/**
 * The beginnings of the cluster library's messages about an outage of the database that have no cause, or a timeout as
 * their cause.
 */
const clusterMessages = [
  "Shard lock storage is",
  "Forced shard release is still pending",
  "No healthy runners available"
]

/** The message with which the cluster library reports the end of an outage. */
export const clusterRecoveryMessage = "Shard lock storage has recovered"

/** Matches the texts of failures to connect to the database or to get its response in time. */
const connectionFailures =
  /\b(ConnectionError|PgConnection|StatementTimeoutError)\b|timed out|did not respond in time|^All fibers interrupted/

const databaseKind = "database"
const clusterKind = "cluster"

/** A failure of a store. All failures that one outage causes are of the same kind, although their causes differ. */
export interface StoreFailure {
  readonly cause: string
  readonly kind: string
}

/** Removes the names of stores and similar quoted names from a cause. */
const removeNames = (text: string): string => text.replaceAll(/`[^`]*`/g, "`...`")

const kindOf = (errors: ReadonlyArray<unknown>, cause: string): string => {
  if (connectionFailures.test(cause)) return databaseKind
  const isOfCluster = errors.every((error) =>
    Predicate.isTagged(error, "StoreUnavailable") && Reflect.get(error, "store") === "cluster"
  )
  return isOfCluster ? clusterKind : removeNames(cause)
}

/**
 * Returns the failure of a store that a log message reports, or undefined if the message reports anything else. A
 * message with a `ChargeInDoubt` is no store failure, because an operator must see every uncertain charge.
 */
export const findStoreFailure = (message: string, cause: Cause.Cause<unknown>): StoreFailure | undefined => {
  const errors = errorsIn(cause)
  const isFromCluster = clusterMessages.some((beginning) => message.startsWith(beginning))
  if (isFromCluster && errors.every((error) => Predicate.isTagged(error, "TimeoutError") || isOutageError(error))) {
    return { cause: errors.map(joinMessages).join("; "), kind: databaseKind }
  }
  const text = outageMessageOf(cause)
  if (text === undefined || errors.some((error) => Predicate.isTagged(error, "ChargeInDoubt"))) return undefined
  return { cause: text, kind: kindOf(errors, text) }
}

type Counts = ReadonlyMap<string, number>

/** Counts the failures of stores during an outage, so that only the first failure of each kind is logged. */
export interface OutageCounter {
  /** Counts a failure. Returns true if the outage has no earlier failure of the same kind. */
  readonly record: (failure: StoreFailure & { readonly message: string; readonly atMs: number }) => boolean
  readonly awaitFirstFailure: Effect.Effect<void>
  /** The time of the last counted failure, in epoch ms. */
  readonly lastFailureAtMs: () => number
  /** The duration and the failures of the current outage, or undefined without an outage. */
  readonly current: () =>
    | { readonly lastedMs: number; readonly messages: Counts; readonly causes: Counts }
    | undefined
  readonly end: () => void
}

/**
 * The maximum number of distinct kinds, messages and causes that an outage counts separately. After
 * `maxDistinctTexts`, every failure of a new kind is logged, and new messages share one count.
 */
const maxDistinctTexts = 100

/** Removes numbers and quoted names from a message, so that the messages of one operation are equal. */
const normalizeMessage = (text: string): string => removeNames(text.replaceAll(/\d+/g, "N"))

const countText = (counts: Map<string, number>, text: string, otherTexts: string): void => {
  const key = counts.has(text) || counts.size < maxDistinctTexts ? text : otherTexts
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

export const makeOutageCounter = (): OutageCounter => {
  const latch = Latch.makeUnsafe(false)
  let firstFailureAtMs: number | undefined
  let lastFailureAtMs = 0
  let messages = new Map<string, number>()
  let causes = new Map<string, number>()
  let kinds = new Set<string>()
  return {
    record: ({ atMs, cause, kind, message }) => {
      firstFailureAtMs ??= atMs
      lastFailureAtMs = atMs
      countText(messages, normalizeMessage(message), "other messages")
      if (cause !== "") countText(causes, removeNames(cause), "other causes")
      latch.openUnsafe()
      const isFirst = !kinds.has(kind)
      if (kinds.size < maxDistinctTexts) kinds.add(kind)
      // A process that cannot reach the database also loses its part of the cluster.
      if (kind === databaseKind) kinds.add(clusterKind)
      return isFirst
    },
    awaitFirstFailure: latch.await,
    lastFailureAtMs: () => lastFailureAtMs,
    current: () =>
      firstFailureAtMs === undefined
        ? undefined
        : { lastedMs: Math.max(0, lastFailureAtMs - firstFailureAtMs), messages, causes },
    end: () => {
      firstFailureAtMs = undefined
      messages = new Map()
      causes = new Map()
      kinds = new Set()
      latch.closeUnsafe()
    }
  }
}

export const Outages = Context.Reference<OutageCounter>("@tapeline/server/Outages", { defaultValue: makeOutageCounter })

/**
 * The minimum time without failures after which an outage can end, in ms. In addition, all stores must respond before
 * an outage ends.
 */
const quietBeforeEndMs = 5_000

const reportIntervalMs = 300_000

const maxReportedMessages = 5

const sortCounts = (counts: Counts) => Array.from(counts).toSorted(([, a], [, b]) => b - a)

const formatCounts = (counts: Counts): string => {
  const sorted = sortCounts(counts)
  const mostFrequent = sorted.slice(0, maxReportedMessages).map(([message, times]) => `${times} × ${message}`)
  const otherCount = sorted.length - mostFrequent.length
  const others = otherCount === 0 ? [] : [`${otherCount} other ${otherCount === 1 ? "message" : "messages"}`]
  return [...mostFrequent, ...others].join("; ")
}

/**
 * Logs how often each error message and each cause occurred during an outage. An outage ends if `check` succeeds after
 * a time without failures. Writes a log message every five minutes, at the end of the outage, and when the process
 * stops during the outage.
 */
export const layerOutageReporter = (check: Effect.Effect<void, StoreUnavailable>): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const outages = yield* Outages
    const report = (headline: string) =>
      Effect.suspend(() => {
        const current = outages.current()
        if (current === undefined) return Effect.void
        const seconds = Math.ceil(current.lastedMs / 1_000)
        return Effect.logInfo(`${headline}. Failures within ${seconds} s: ${formatCounts(current.messages)}`).pipe(
          Effect.annotateLogs("causes", Object.fromEntries(sortCounts(current.causes)))
        )
      })
    const isOver = Effect.gen(function*() {
      const quiet = (yield* Clock.currentTimeMillis) - outages.lastFailureAtMs()
      // `quiet` is negative after the system clock was set back.
      return (quiet < 0 || quiet >= quietBeforeEndMs) && Exit.isSuccess(yield* Effect.exit(check))
    })
    const watch = Effect.gen(function*() {
      yield* outages.awaitFirstFailure
      for (let seconds = 1;; seconds++) {
        yield* Effect.sleep("1 second")
        if (yield* isOver) break
        if (seconds % (reportIntervalMs / 1_000) === 0) yield* report("Stores are still failing")
      }
      yield* report("All stores are available again")
      outages.end()
    })
    yield* Effect.addFinalizer(() => report("The process is stopping while stores are failing"))
    yield* Effect.forkScoped(Effect.forever(watch))
  }))
