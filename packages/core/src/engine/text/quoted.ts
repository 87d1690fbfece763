/** The default maximum length of a quotation, in characters. */
const most = 160

/**
 * Formats untrusted text as a quotation for a result: one line of at most `length` characters. Removes control and
 * format characters, which can hide or reverse text. The content is data, not instructions.
 */
export const quoted = (text: string, length = most): string => {
  // The text is cut first, so that a text of megabytes costs no more than a short text.
  const line = text.slice(0, 16 * length).toWellFormed()
    .replace(/[\s\u2028\u2029]+/gu, " ").replace(/[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/gu, "").trim()
  const characters = Array.from(line)
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`
}
