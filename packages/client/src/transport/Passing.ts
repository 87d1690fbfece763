import { type ClientError, ConnectionLost } from "../errors.ts"
import type { Platform } from "../platform.ts"

/**
 * A failure of one try that may not occur in the next. Callers never see it: if there is no other try, `final` returns
 * their error.
 */
export class Passing extends Error {
  /** The service's error; undefined if no complete response arrived. */
  readonly refused: ClientError | undefined
  /** The wait that the service requested, in ms. */
  readonly afterMs: number | undefined
  /** False if the service requested the wait. Then only the caller's deadline limits the tries. */
  readonly isCounted: boolean

  constructor(
    cause: unknown,
    told: { readonly refused?: ClientError; readonly afterMs?: number | undefined; readonly isCounted?: boolean } = {}
  ) {
    super("passing", { cause })
    this.refused = told.refused
    this.afterMs = told.afterMs
    this.isCounted = told.isCounted ?? true
  }

  /**
   * Whether the request may have been executed. False only if the service itself rejected it. A broken connection or a
   * proxy's error leaves it open.
   */
  get isDoneMaybe(): boolean {
    return this.refused === undefined || !("code" in this.refused)
  }

  final(what: string, tries: number): ClientError {
    return this.refused ?? new ConnectionLost(what, tries, this.cause)
  }
}

/** The failure of a connection that is open, but was silent for too long. */
export const silent = (ms: number): Passing => new Passing(new Error(`nothing came for ${ms} ms`))

const firstMs = 250
const mostMs = 5_000
const longestMs = 2_147_483_647

/**
 * Returns the wait after `failures` failures in a row, in ms. The wait doubles each time, up to 5 s. Jitter prevents
 * all clients of a restarted service from returning at once. If the service requested a wait of `toldMs`, the result is
 * at least that long.
 */
export const waitMs = ({ random }: Platform, failures: number, toldMs: number | undefined): number => {
  const spread = random()
  const own = Math.round(Math.min(mostMs, firstMs * 2 ** Math.min(10, Math.max(0, failures - 1))) * (0.5 + spread / 2))
  return toldMs === undefined ? own : Math.min(longestMs, Math.max(own, toldMs + Math.round(spread * 250)))
}

/**
 * Returns the wait that `retry-after` requests, in ms. The header contains seconds or a time. A time is compared with
 * the response's own `date` if possible, because the local clock may be wrong. Without a valid header, the seconds of
 * `field` are used. Undefined if there is neither.
 */
export const retryAfterMs = ({ date }: Platform, headers: Headers, field: unknown): number | undefined => {
  const text = headers.get("retry-after")?.trim() ?? ""
  const told = Date.parse(headers.get("date") ?? "")
  const ms = /^\d+(?:\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : /[a-z]/i.test(text)
    ? Date.parse(text) - (Number.isNaN(told) ? date() : told)
    : typeof field === "number"
    ? field * 1000
    : NaN
  return !Number.isNaN(ms) ? Math.min(longestMs, Math.max(0, ms)) : undefined
}
