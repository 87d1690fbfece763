/** Text as people read it, out of what feeds hold: HTML, escaped once or twice, or plain text. */
import { decodeHTML } from "entities"

/** As much markup is looked at. */
const longestMarkup = 40_000

/** What has no end ends with the text, so that a text of many beginnings is gone through once. */
const unseen = /<!--[\s\S]*?(?:-->|$)|<(script|style|template|noscript|svg|figcaption)\b[\s\S]*?(?:<\/\1\s*>|$)/giu
const breaks = /<(?:br|p|div|li|ul|ol|h[1-6]|tr|td|blockquote|figure|img)\b[^<>]*>|<\/(?:p|div|li|h[1-6]|tr|td)\s*>/giu
/** A tag begins with a letter: `a < b` is none. */
const tags = /<\/?[a-z][^<>]*>/giu
/** Of no width, of direction, of control: what is not seen, and may hide. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu

const withoutTags = (text: string): string => text.replace(unseen, " ").replace(breaks, " ").replace(tags, "")

const clipped = (text: string, most: number): string => {
  if (text.length <= most) return text
  const cut = text.slice(0, most - 1)
  const end = cut.lastIndexOf(" ")
  return `${(end > most / 2 ? cut.slice(0, end) : cut.replace(/[\ud800-\udbff]$/u, "")).trimEnd()}…`
}

/**
 * A text without markup, entities, and what cannot be seen, in one line, of `most` UTF-16 units at most. What was
 * escaped twice is unpacked twice, and nothing more often: entities of a text about entities stay.
 */
export const plainText = (markup: string, most: number): string => {
  const once = decodeHTML(withoutTags(markup.slice(0, longestMarkup)))
  const text = decodeHTML(withoutTags(once))
  return clipped(text.replace(/\s+/gu, " ").replace(invisible, "").replace(/ {2,}/gu, " ").trim(), most)
}
