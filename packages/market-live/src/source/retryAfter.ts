/** The maximum `retry-after`, whatever a header requests. */
const longestMs = 24 * 3_600_000

/**
 * Reads `retry-after`, in milliseconds from now. If it is a date, it is compared with the response's `date`, otherwise
 * with `nowMs`.
 */
export const retryAfterOf = (headers: Headers, nowMs: number): number | undefined => {
  const text = headers.get("retry-after")?.trim()
  if (text === undefined) return undefined
  if (/^\d{1,9}(\.\d{1,6})?$/u.test(text)) return Math.min(longestMs, Math.ceil(Number(text) * 1_000))
  const until = dateOf(text)
  return until === undefined ? undefined : Math.min(longestMs, Math.max(0, until - (dateOfAnswer(headers) ?? nowMs)))
}

/** The time of a `date` header; undefined if it is invalid. `Date.parse` on its own accepts almost any text. */
export const dateOfAnswer = (headers: Headers): number | undefined => dateOf(headers.get("date") ?? "")

const dateOf = (text: string): number | undefined => {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
