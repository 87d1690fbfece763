/** The maximum delay in ms before a retry. A longer delay that a provider requests is shortened to the maximum. */
const maxRetryAfterMs = 24 * 3_600_000

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** Parses a number of seconds, or a duration such as `1h2m3.5s` or `120ms`, or returns undefined for other texts. */
export const parseDurationMs = (text: string): number | undefined => {
  const trimmed = text.trim()
  if (/^\d+(\.\d+)?$/u.test(trimmed)) return Number(trimmed) * 1_000
  if (!/^(\d+(\.\d+)?(ms|h|m|s))+$/u.test(trimmed)) return undefined
  return [...trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/gu)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * unitMs[unit!]!,
    0
  )
}

/**
 * Parses a duration, an epoch time or an HTTP date. Returns the delay from `nowMs` in ms, or undefined for an invalid
 * text.
 */
const parseUntilMs = (text: string, nowMs: number): number | undefined => {
  const duration = parseDurationMs(text)
  // A number of at least 1e12 is an instant since 1970 and not a duration, because no provider requests a wait of
  // thirty years.
  if (duration !== undefined && duration >= 1e12) return (duration >= 1e15 ? duration / 1_000 : duration) - nowMs
  if (duration !== undefined) return duration
  // The pattern is checked first, because `Date.parse` accepts almost any text as a date.
  const instant = /^([A-Z][a-z]{2}|\d{4}-)/u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant - nowMs
}

/**
 * Returns the time in ms until all exhausted rate limits have reset. If no rate limit is exhausted, returns the longest
 * time until any rate limit resets.
 */
const readResetMs = (headers: Headers, nowMs: number): number | undefined => {
  const spans = ["-requests", "-tokens", ""].flatMap((suffix) => {
    const reset = headers.get(`x-ratelimit-reset${suffix}`)
    const span = reset === null ? undefined : parseUntilMs(reset, nowMs)
    if (span === undefined) return []
    return [{ span, remaining: headers.get(`x-ratelimit-remaining${suffix}`) }]
  })
  const exhausted = spans.filter(({ remaining }) => remaining !== null && Number(remaining) <= 0)
  const relevantLimits = exhausted.length > 0 ? exhausted : spans
  return relevantLimits.length === 0 ? undefined : Math.max(...relevantLimits.map(({ span }) => span))
}

/** Returns the delay in ms after which the provider accepts a retry, or null if the delay is unknown. */
export const readRetryAfter = (headers: Headers | undefined, message: string, nowMs: number): number | null => {
  const ms = headers?.get("retry-after-ms")
  const headerDelay = headers === undefined ? undefined : [
    ms !== null && ms !== undefined && /^\d+(\.\d+)?$/u.test(ms) ? Number(ms) : undefined,
    parseUntilMs(headers.get("retry-after") ?? "", nowMs),
    readResetMs(headers, nowMs)
  ].find((span) => span !== undefined)
  const messageDelay = /(?:try again|retry) in (\d[\d.hms]*)/iu.exec(message)?.[1]?.replace(/\.$/u, "")
  const span = headerDelay ?? (messageDelay === undefined ? undefined : parseDurationMs(messageDelay))
  return span === undefined ? null : Math.min(maxRetryAfterMs, Math.max(0, Math.ceil(span)))
}
