import { DeadlineExceeded } from "../errors.ts"
import { Part, type Platform, sleep } from "../platform.ts"
import { Passing, waitMs } from "./Passing.ts"

/** So many tries in a row may find nobody, before the caller is told so. */
const mostFailures = 6

export interface Bounds {
  /** The request, in errors. */
  readonly what: string
  /** All tries together, in ms. */
  readonly timeoutMs: number
  /** One try alone, in ms. */
  readonly tryMs: number
  /** True where the time alone ends the search for the service; that it was lost is told then. */
  readonly isLasting: boolean
  /** True where it is not tried again once it may have been done. */
  readonly isOnce: boolean
  /** The longest wait that is waited where the service asks for it, in ms. */
  readonly longestWaitMs: number
  readonly signal: AbortSignal | undefined
}

/** Which try it is, from 1, and what bounds it. */
export interface Try {
  readonly number: number
  readonly part: Part
}

/**
 * Tries until one try comes to an end that is none of a passing kind. Where no other try is worth it, or the caller's
 * time would be over before, the last one's failure is told.
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
    // What broke off may have been done: whoever is told of a refusal would do it again.
    isDoneMaybe ||= last.isDoneMaybe
    if (isOnce && isDoneMaybe) throw last.final(what, number)
    const wait = waitMs(platform, failures, last.afterMs)
    if (!isDoneMaybe && (last.afterMs ?? 0) > longestWaitMs) throw last.final(what, number)
    if ((failures >= mostFailures && !isLasting) || platform.now() + wait >= until) throw last.final(what, number)
    await sleep(platform, wait, signal)
  }
}
