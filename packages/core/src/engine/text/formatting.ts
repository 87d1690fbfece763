/** Formats a count with its noun: `1 candle`, `2 candles`. */
export const formatCount = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`

const maxShortenedLength = 100

/** Shortens a name or a value of a request for an error message. An ellipsis replaces omitted characters. */
export const shorten = (text: string): string =>
  text.length <= maxShortenedLength ? text : `${text.slice(0, maxShortenedLength).toWellFormed()}…`

const defaultMaxLength = 160

/**
 * Formats untrusted text for a result as one line of at most `maxLength` characters. Removes control and format
 * characters, because they can hide or reverse text.
 */
export const quoteText = (text: string, maxLength = defaultMaxLength): string => {
  // The text is cut before it is cleaned, so that a text of megabytes costs no more than a short text.
  const line = text.slice(0, 16 * maxLength).toWellFormed()
    .replace(/[\s\u2028\u2029]+/gu, " ").replace(/[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/gu, "").trim()
  const characters = Array.from(line)
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`
}
