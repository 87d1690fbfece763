import { type ClientError, ConnectionLost } from "../errors.ts"
import type { Platform } from "../platform.ts"

/** What one try met that may be gone at the next. No caller sees it: `final` is what is told when no other is made. */
export class Passing extends Error {
  /** What the service said; undefined when nothing whole came from it. */
  readonly refused: ClientError | undefined
  /** The service asks for so long a wait, in ms. */
  readonly afterMs: number | undefined
  /** False where the wait itself is what was asked for, so that only the caller's deadline bounds it. */
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

  /** False where the service itself refused: what breaks off, and what a proxy says, leaves it open. */
  get isDoneMaybe(): boolean {
    return this.refused === undefined || !("code" in this.refused)
  }

  final(what: string, tries: number): ClientError {
    return this.refused ?? new ConnectionLost(what, tries, this.cause)
  }
}

/** Nothing came for too long, from a peer that has not hung up. */
export const silent = (ms: number): Passing => new Passing(new Error(`nothing came for ${ms} ms`))

const firstMs = 250
const mostMs = 5_000
const longestMs = 2_147_483_647

/**
 * How long to wait after so many failures in a row: what the service asks for and never less, and twice as long each
 * time. Somewhat more, by chance, so that the clients of a service that comes back do not all come at once.
 */
export const waitMs = ({ random }: Platform, failures: number, toldMs: number | undefined): number => {
  const spread = random()
  const own = Math.round(Math.min(mostMs, firstMs * 2 ** Math.min(10, Math.max(0, failures - 1))) * (0.5 + spread / 2))
  return toldMs === undefined ? own : Math.min(longestMs, Math.max(own, toldMs + Math.round(spread * 250)))
}

/**
 * What `retry-after` says, in ms: seconds, or an instant, which is held against the answer's own `date` where that is
 * to be read, as the clock here may be wrong. Anything else says nothing.
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
