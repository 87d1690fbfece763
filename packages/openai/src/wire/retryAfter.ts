/** Nobody is told to come again later than this, whatever a header says. */
const longestMs = 24 * 3_600_000

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** A number of seconds, or a duration such as `1h2m3.5s` or `120ms`; undefined when it is neither. */
export const durationMs = (text: string): number | undefined => {
  const plain = text.trim()
  if (/^\d+(\.\d+)?$/u.test(plain)) return Number(plain) * 1_000
  if (!/^(\d+(\.\d+)?(ms|h|m|s))+$/u.test(plain)) return undefined
  return [...plain.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/gu)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * unitsMs[unit!]!,
    0
  )
}

/** A duration, or the instant: epoch seconds or milliseconds, or a date of HTTP. */
const untilMs = (text: string, nowMs: number): number | undefined => {
  const span = durationMs(text)
  // Nobody waits for thirty years: it is an instant.
  if (span !== undefined && span >= 1e12) return (span >= 1e15 ? span / 1_000 : span) - nowMs
  if (span !== undefined) return span
  // `Date.parse` takes almost anything for a date.
  const instant = /^([A-Z][a-z]{2}|\d{4}-)/u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant - nowMs
}

/** Of limits that say what is left of them and when they are whole again: the longest of those that are used up. */
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

/** When a provider wants to be asked again, in ms from now, by its headers or else its words; null if it is silent. */
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
