/** What nobody sees: soft hyphens, joiners, marks of direction, variation selectors, tags. */
const hidden = /\p{Default_Ignorable_Code_Point}/gu

/** With these a text is read in another order than it is written. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/u

/** Where something stood that is not the user's own: one letter that no word has. */
export const masked = "\ue000"

const fullWidth = /[\uff01-\uff5e]/g
const fromFullWidth = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 0xfee0)

/**
 * A message as its writer saw it, in one form: what is invisible is gone, wide letters and digits are plain ones, and
 * every space is one. Digits of other scripts and raised ones stay what they are, and are no numbers. Null for a text
 * that is shown in another order than it is written.
 */
export const readable = (message: string): string | null =>
  reordering.test(message)
    ? null
    : message
      .normalize("NFC")
      .replace(hidden, "")
      .replaceAll(masked, "")
      .replace(fullWidth, fromFullWidth)
      .replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
      .replace(/[^\S\n]|\p{Zs}/gu, " ")
      .replace(/[\u2018\u2019\u02bc](?=[a-z]{1,2}(?![a-z]))/gi, "'")
      .replaceAll("\u2212", "-")
      .replace(/\s?[\u2013\u2014]\s?/g, " - ")

/** With `ё` written as `е`, as most write it: of the same length, so that what is found in one stands in the other. */
export const folded = (text: string): string => text.replaceAll("ё", "е").replaceAll("Ё", "Е")

/** From here on everything was written by somebody else. */
const foreign =
  /^[ \t]*(?:-{2,}[^\n]*(?:forward|original|пересл|전달|message|сообщени)[^\n]*|(?:fwd?|fw|re|from|system|assistant|user|human|bot|ai|instructions?|\[forwarded[^\]]*\]|\[?пересл[^\s:]*|\[?전달[^\s:]*|시스템|система)\s?[:\]][^\n]*|begin forwarded message[^\n]*)/imu

/** A line of a chat log: a time or a date, and who spoke. */
const spoken =
  /^[ \t]*\[?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? )?\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?\]?,? [^\n:]{1,40}:[^\n]*$/gimu

const blocks: ReadonlyArray<RegExp> = [
  /~~(?=[^\s~])[^~\n]*(?<=[^\s~])~~/g,
  /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)/g,
  /`[^`\n]*`/g,
  /^[ \t]*(?:>|&gt;|\|)[^\n]*$/gm,
  spoken,
  /<([a-z][\w-]*)[^>]*>[\s\S]*?(?:<\/\1>|$)/gi,
  /https?:\/\/\S+|www\.\S+/gi
]

const quotations: ReadonlyArray<RegExp> = [
  /"[^"]*(?:"|$)/g,
  /“[^”]*(?:”|$)|„[^“”]*(?:[“”]|$)|«[^»]*(?:»|$)|「[^」]*(?:」|$)|『[^』]*(?:』|$)|《[^》]*(?:》|$)|【[^】]*(?:】|$)/g,
  /‘[^’\n]*(?:’|$)/gm,
  /(?<![\p{L}\p{N}])'[^'\n]{2,}'/gu
]

const mask = (text: string, patterns: ReadonlyArray<RegExp>): string =>
  patterns.reduce((own, pattern) => own.replace(pattern, masked), text)

/** What the user typed: what is struck out, pasted, forwarded, code or an address is masked. Quotations still stand. */
export const typed = (text: string): string => {
  const start = text.search(foreign)
  return mask(start === -1 ? text : text.slice(0, start), blocks)
}

/** The user's own words of what was typed: quotations are masked. */
export const unquoted = (text: string): string => mask(text, quotations)

/** "yes 👍": what decorates a message, and says nothing else. */
export const withoutSmiles = (own: string): string =>
  own.replace(/[👍👌✅✔🙏🙂😊😀😄😃😁🚀💪🎉👏🤝🔥💯❤][\u{1f3fb}-\u{1f3ff}]?/gu, " ")

/** Whether there is a picture or a box, ❌, 🤔 or ☐, that may say the contrary of the words beside it. */
export const hasSign = (own: string): boolean => /[\p{Extended_Pictographic}\u2500-\u27bf]/u.test(withoutSmiles(own))
