import { type ClientError, ConnectionLost, DeadlineExceeded } from "../errors.ts"
import { AbortScope, type Platform, sleep } from "../platform.ts"

/** A temporary failure of one try of a request. `toFinalError` converts the last failure to the caller's error. */
export class RetryableFailure extends Error {
  /** The service's error, or undefined if no complete response arrived. */
  readonly serviceError: ClientError | undefined
  readonly requestedWaitMs: number | undefined
  /** Whether the failure counts toward `maxFailures`: false if the service requested the wait before the next try. */
  readonly countsAsFailure: boolean

  constructor(
    cause: unknown,
    options: {
      readonly serviceError?: ClientError
      readonly requestedWaitMs?: number | undefined
      readonly countsAsFailure?: boolean
    } = {}
  ) {
    super("passing", { cause })
    this.serviceError = options.serviceError
    this.requestedWaitMs = options.requestedWaitMs
    this.countsAsFailure = options.countsAsFailure ?? true
  }

  /**
   * Whether the service may have executed the request. An error code from the service proves that the service did not
   * execute the request.
   */
  get mayBeExecuted(): boolean {
    return this.serviceError === undefined || !("code" in this.serviceError)
  }

  toFinalError(requestName: string, attempts: number): ClientError {
    return this.serviceError ?? new ConnectionLost(requestName, attempts, this.cause)
  }
}

export const silenceFailure = (ms: number): RetryableFailure => new RetryableFailure(new Error(`no data for ${ms} ms`))

const initialDelayMs = 250
const maxDelayMs = 5_000
const maxTimerMs = 2_147_483_647

/**
 * Returns the wait before the next try in ms: at least `requestedWaitMs`, and doubled with each failure in a row, up to
 * 5 s. Jitter prevents all clients of a restarted service from reconnecting at once.
 */
export const retryDelayMs = ({ random }: Platform, failures: number, requestedWaitMs: number | undefined): number => {
  const jitter = random()
  const backoffMs = Math.round(
    Math.min(maxDelayMs, initialDelayMs * 2 ** Math.min(10, Math.max(0, failures - 1))) * (0.5 + jitter / 2)
  )
  return requestedWaitMs === undefined
    ? backoffMs
    : Math.min(maxTimerMs, Math.max(backoffMs, requestedWaitMs + Math.round(jitter * 250)))
}

/**
 * Returns the wait that a response requests in `retry-after` or in `bodyField`, in ms, or undefined if no wait is
 * requested. A date in `retry-after` is compared with the response's `date` if possible, because the local clock may be
 * wrong.
 */
export const parseRetryAfter = (
  { wallClockMs }: Platform,
  headers: Headers,
  bodyField: unknown
): number | undefined => {
  const text = headers.get("retry-after")?.trim() ?? ""
  const serverTimeMs = Date.parse(headers.get("date") ?? "")
  const ms = /^\d+(?:\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : /[a-z]/i.test(text)
    ? Date.parse(text) - (Number.isNaN(serverTimeMs) ? wallClockMs() : serverTimeMs)
    : typeof bodyField === "number"
    ? bodyField * 1000
    : NaN
  return !Number.isNaN(ms) ? Math.min(maxTimerMs, Math.max(0, ms)) : undefined
}

/** The number of failures in a row after which a request fails. */
const maxFailures = 6

export interface RetryLimits {
  readonly requestName: string
  /** The timeout of all tries together, in ms. */
  readonly timeoutMs: number
  readonly attemptTimeoutMs: number
  readonly isUnlimited: boolean
  readonly isNeverRepeated: boolean
  /** The longest wait that the client accepts from the service, in ms. */
  readonly maxWaitMs: number
  readonly signal: AbortSignal | undefined
}

/** One try of a request. The first try has the number 1. */
export interface Attempt {
  readonly number: number
  readonly abortScope: AbortScope
}

/**
 * Retries until a try succeeds or a permanent error occurs. Stops retrying if another try is not allowed or would
 * exceed the timeout.
 */
export const withRetries = async <A>(
  platform: Platform,
  { isUnlimited, isNeverRepeated, maxWaitMs, signal, timeoutMs, attemptTimeoutMs, requestName }: RetryLimits,
  runAttempt: (attempt: Attempt) => Promise<A>
): Promise<A> => {
  const deadlineMs = platform.monotonicMs() + timeoutMs
  let lastFailure: RetryableFailure | undefined
  let failures = 0
  let mayBeExecuted = false
  for (let number = 1;; number++) {
    const abortScope = new AbortScope(signal)
    const remainingMs = Math.max(1, deadlineMs - platform.monotonicMs())
    if (!isUnlimited) {
      abortScope.abortAfter(
        platform,
        remainingMs,
        () => new DeadlineExceeded(requestName, timeoutMs, lastFailure?.cause)
      )
    }
    const attemptLimitMs = isUnlimited ? Math.min(attemptTimeoutMs, remainingMs) : attemptTimeoutMs
    if (isUnlimited || attemptTimeoutMs < remainingMs) {
      abortScope.abortAfter(
        platform,
        attemptLimitMs,
        () => new RetryableFailure(new Error(`no response within ${attemptLimitMs} ms`))
      )
    }
    try {
      return await runAttempt({ number, abortScope })
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason
      if (!(error instanceof RetryableFailure)) throw error
      lastFailure = error
    } finally {
      abortScope.dispose()
    }
    if (lastFailure.countsAsFailure) failures++
    // If the service may have executed the request in one try, a later rejection is not final: the client retries to
    // learn the outcome.
    mayBeExecuted ||= lastFailure.mayBeExecuted
    if (isNeverRepeated && mayBeExecuted) throw lastFailure.toFinalError(requestName, number)
    const delayMs = retryDelayMs(platform, failures, lastFailure.requestedWaitMs)
    if (!mayBeExecuted && (lastFailure.requestedWaitMs ?? 0) > maxWaitMs) {
      throw lastFailure.toFinalError(requestName, number)
    }
    if ((failures >= maxFailures && !isUnlimited) || platform.monotonicMs() + delayMs >= deadlineMs) {
      throw lastFailure.toFinalError(requestName, number)
    }
    await sleep(platform, delayMs, signal)
  }
}
