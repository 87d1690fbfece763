import { DeadlineExceeded } from "../errors.ts"
import { Part, type Platform, sleep } from "../platform.ts"
import { Passing, waitMs } from "./Passing.ts"

/** The number of failures in a row after which the request fails. */
const mostFailures = 6

export interface Bounds {
  /** The name of the request in errors. */
  readonly what: string
  /** The timeout of all tries together, in ms. */
  readonly timeoutMs: number
  /** The timeout of one try, in ms. */
  readonly tryMs: number
  /** If true, only the time limits the tries, not their number. The error is then the last failure. */
  readonly isLasting: boolean
  /** If true, there is no retry once the request may have been executed. */
  readonly isOnce: boolean
  /** The longest wait requested by the service that is accepted, in ms. */
  readonly longestWaitMs: number
  readonly signal: AbortSignal | undefined
}

/** The number of a try, from 1, and its abort signal. */
export interface Try {
  readonly number: number
  readonly part: Part
}

/**
 * Retries until a try succeeds or fails with a lasting error. Fails with the last failure if another try is not
 * worthwhile, or would not fit within the caller's time.
 */
export const retrying = async <A>(
  platform: Platform,
  { isLasting, isOnce, longestWaitMs, signal, timeoutMs, tryMs, what }: Bounds,
  once: (attempt: Try) => Promise<A>
): Promise<A> => {
  const until = platform.now() + timeoutMs
  let last: Passing | undefined
  let failures = 0
  let isDoneMaybe = false
  for (let number = 1;; number++) {
    const part = new Part(signal)
    const leftMs = Math.max(1, until - platform.now())
    if (!isLasting) part.abortAfter(platform, leftMs, () => new DeadlineExceeded(what, timeoutMs, last?.cause))
    const withinMs = isLasting ? Math.min(tryMs, leftMs) : tryMs
    if (isLasting || tryMs < leftMs) {
      part.abortAfter(platform, withinMs, () => new Passing(new Error(`no answer within ${withinMs} ms`)))
    }
    try {
      return await once({ number, part })
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason
      if (!(error instanceof Passing)) throw error
      last = error
    } finally {
      part.leave()
    }
    if (last.isCounted) failures++
    // A broken try may have been executed. If a later rejection were returned, its caller would repeat the request.
    isDoneMaybe ||= last.isDoneMaybe
    if (isOnce && isDoneMaybe) throw last.final(what, number)
    const wait = waitMs(platform, failures, last.afterMs)
    if (!isDoneMaybe && (last.afterMs ?? 0) > longestWaitMs) throw last.final(what, number)
    if ((failures >= mostFailures && !isLasting) || platform.now() + wait >= until) throw last.final(what, number)
    await sleep(platform, wait, signal)
  }
}
