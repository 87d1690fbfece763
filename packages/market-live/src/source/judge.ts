import { type Fault, malformed, seconds, unreachable } from "./fault.ts"
import { retryAfterOf } from "./retryAfter.ts"
import type { Patience } from "./settings.ts"
import type { Received } from "./transport.ts"

/** A rejection in a response's body, whatever its status. */
export interface Refusal {
  readonly failure: Fault["failure"]
  readonly reason: string
  readonly retryAfterMs?: number
}

/** A 403 that is a rate limit: the text that identifies it, and its duration if the response has no `retry-after`. */
export interface LimitedBy403 {
  readonly says: RegExp
  readonly forMs: number
  /** The reason why a firewall rejects requests. If a firewall's rejections last, they count as a block. */
  readonly firewall?: string
}

/** Recognises a source's rejections in a body. Returns undefined if the body is not a rejection. */
export type RefusedInBody = (body: unknown, status: number) => Refusal | undefined

export interface Judge {
  /** Parses a body for `refusedInBody`; JSON by default. Returns undefined if the body has another format. */
  readonly bodyOf?: ((received: Received) => unknown) | undefined
  readonly patience: Pick<Patience, "bannedMs" | "limitedMs">
  readonly refusedInBody?: RefusedInBody | undefined
  readonly limitedBy403?: LimitedBy403 | undefined
  /** The source that provides the same data. `firstServing` uses it if this source does not serve. */
  readonly next?: string | undefined
  /** The environment variable of the source's key, if it has one. */
  readonly variable?: string | undefined
}

/** Whether the response is an HTML page instead of data. */
export const isPage = ({ headers, text }: Received): boolean =>
  /^(text\/html|application\/xhtml)/iu.test(headers.get("content-type") ?? "") ||
  /^\s*<(!doctype html|html)/iu.test(text)

/** Parses JSON. Returns undefined if the text is not JSON. */
export const jsonOf = (text: string): unknown => {
  try {
    // Any value: a schema decodes it before it is used.
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const jsonBody = ({ text }: Received): unknown => jsonOf(text)

const alternative = (next: string | undefined): string => next === undefined ? "" : `; ${next} tells the same`

const blocked = (status: number, next: string | undefined): Fault => ({
  failure: "blocked",
  reason: `it does not serve this place (status ${status})${alternative(next)}`,
  again: false
})

const limited = (received: Received, own: number, now: number, why = "it wants to be left alone"): Fault => {
  const retryAfterMs = retryAfterOf(received.headers, now) ?? own
  return {
    failure: "rate_limited",
    reason: `${why} for ${seconds(retryAfterMs)} (status ${received.status})`,
    again: true,
    retryAfterMs
  }
}

/** Rate limits of firewalls end within minutes. A rejection that lasts longer is a block. */
const longestFirewallMs = 900_000

/** A firewall rejects this address: for a while, or permanently. */
const firewalled = (received: Received, own: number, now: number, why: string, next: string | undefined): Fault => ({
  ...limited(received, own, now, `${why}, and is left alone`),
  blockedIfLasting: {
    afterMs: longestFirewallMs,
    reason: `${why}, and goes on doing so (status ${received.status})${alternative(next)}`
  }
})

/** The pause after a firewall demanded a browser. */
const challengedMs = 300_000

/**
 * Whether a firewall demands a browser. AWS WAF does so with 202 and no body, or with 405 and a page
 * (https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge.html).
 */
const isChallenge = ({ headers, status, text }: Received): boolean =>
  headers.has("x-amzn-waf-action") || (status === 202 && text.trim() === "")

const overloaded = ({ headers, status }: Received, now: number): Fault => {
  const retryAfterMs = retryAfterOf(headers, now)
  return { ...unreachable(`it failed (status ${status})`), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

const refusedKey = (status: number, variable: string | undefined): Fault =>
  variable === undefined
    ? unreachable(`it refuses the request (status ${status})`, false)
    : { failure: "not_configured", reason: `it does not accept the key: set ${variable}`, again: false, variable }

const ofRefusal = ({ failure, reason, retryAfterMs }: Refusal, variable: string | undefined): Fault => ({
  failure,
  reason,
  again: failure === "unreachable" || failure === "rate_limited",
  ...(failure === "not_configured" && variable !== undefined ? { variable } : {}),
  ...(retryAfterMs === undefined ? {} : { retryAfterMs })
})

/** The number of characters of a page that are searched. */
const lookedAt = 4_000

/**
 * Judges a 403. The source does not serve this location, unless the body reports a rate limit. If the source has a key
 * and the response is not a page, the key is not accepted.
 */
const forbidden = (received: Received, told: Refusal | undefined, judge: Judge, now: number): Fault => {
  const { limitedBy403, next, variable } = judge
  if (limitedBy403?.says.test(received.text.slice(0, lookedAt)) === true) {
    const { firewall, forMs } = limitedBy403
    return firewall === undefined ? limited(received, forMs, now) : firewalled(received, forMs, now, firewall, next)
  }
  if (told?.failure === "rate_limited") return ofRefusal(told, variable)
  return variable === undefined || isPage(received) ? blocked(403, next) : refusedKey(403, variable)
}

/** Returns the fault of a rejected request, by its status or body; undefined for a successful response. */
export const refusalOf = (received: Received, judge: Judge, now: number): Fault | undefined => {
  const { status } = received
  if (status === 429) return limited(received, judge.patience.limitedMs, now)
  if (status === 418) return limited(received, judge.patience.bannedMs, now)
  if (status === 451) return blocked(status, judge.next)
  if (isChallenge(received)) {
    return firewalled(received, challengedMs, now, "its firewall asks this address for a browser", judge.next)
  }
  const body = judge.refusedInBody === undefined ? undefined : (judge.bodyOf ?? jsonBody)(received)
  const told = body === undefined ? undefined : judge.refusedInBody?.(body, status)
  if (status === 403) return forbidden(received, told, judge, now)
  if (told !== undefined) return ofRefusal(told, judge.variable)
  if (status >= 200 && status < 300) return undefined
  if (status >= 500) return overloaded(received, now)
  if (status < 400) return unreachable(`its address leads elsewhere (status ${status})`, false)
  if (status === 401 || status === 402) return refusedKey(status, judge.variable)
  return malformed(`it does not know the request (status ${status})`)
}
