/** The longest pause before a retry, whatever a header contains. */
const longestMs = 24 * 3_600_000

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** Parses a number of seconds, or a duration such as `1h2m3.5s` or `120ms`; undefined if the text is neither. */
export const durationMs = (text: string): number | undefined => {
  const plain = text.trim()
  if (/^\d+(\.\d+)?$/u.test(plain)) return Number(plain) * 1_000
  if (!/^(\d+(\.\d+)?(ms|h|m|s))+$/u.test(plain)) return undefined
  return [...plain.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/gu)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * unitsMs[unit!]!,
    0
  )
}

/**
 * Parses a duration, or an instant in epoch seconds, epoch milliseconds or as an HTTP date. Returns the time until
 * then.
 */
const untilMs = (text: string, nowMs: number): number | undefined => {
  const span = durationMs(text)
  // No one waits for thirty years, so the number is an instant.
  if (span !== undefined && span >= 1e12) return (span >= 1e15 ? span / 1_000 : span) - nowMs
  if (span !== undefined) return span
  // `Date.parse` accepts almost any text as a date.
  const instant = /^([A-Z][a-z]{2}|\d{4}-)/u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant - nowMs
}

/** Returns the longest time until a used-up limit resets. If no limit is known to be used up, uses all limits. */
const resets = (headers: Headers, nowMs: number): number | undefined => {
  const spans = ["-requests", "-tokens", ""].flatMap((suffix) => {
    const reset = headers.get(`x-ratelimit-reset${suffix}`)
    const span = reset === null ? undefined : untilMs(reset, nowMs)
    if (span === undefined) return []
    return [{ span, left: headers.get(`x-ratelimit-remaining${suffix}`) }]
  })
  const usedUp = spans.filter(({ left }) => left !== null && Number(left) <= 0)
  const known = usedUp.length > 0 ? usedUp : spans
  return known.length === 0 ? undefined : Math.max(...known.map(({ span }) => span))
}

/**
 * Returns when the provider accepts a retry, in ms from now, by its headers or else by its message; null if unknown.
 */
export const retryAfterOf = (headers: Headers | undefined, message: string, nowMs: number): number | null => {
  const ms = headers?.get("retry-after-ms")
  const said = headers === undefined ? undefined : [
    ms !== null && ms !== undefined && /^\d+(\.\d+)?$/u.test(ms) ? Number(ms) : undefined,
    untilMs(headers.get("retry-after") ?? "", nowMs),
    resets(headers, nowMs)
  ].find((span) => span !== undefined)
  const words = /(?:try again|retry) in (\d[\d.hms]*)/iu.exec(message)?.[1]?.replace(/\.$/u, "")
  const span = said ?? (words === undefined ? undefined : durationMs(words))
  return span === undefined ? null : Math.min(longestMs, Math.max(0, Math.ceil(span)))
}
