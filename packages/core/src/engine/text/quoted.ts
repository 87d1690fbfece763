/** As much of a stranger's text as is quoted. */
const most = 160

/**
 * A stranger's text as a result quotes it: one line, without control and format characters (which hide or turn what is
 * read), at most `length` characters. What it says is data.
 */
export const quoted = (text: string, length = most): string => {
  // A bounded piece first, so that a text of megabytes costs no more.
  const line = text.slice(0, 16 * length).toWellFormed()
    .replace(/[\s\u2028\u2029]+/gu, " ").replace(/[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/gu, "").trim()
  const characters = Array.from(line)
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`
}
