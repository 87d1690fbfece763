/** Converts the content of feeds to plain text. Feeds contain plain text, or HTML that is escaped once or twice. */
import { decodeHTML } from "entities"

const maxMarkupLength = 40_000

/**
 * Matches elements whose content is not displayed. If an element has no end tag, the match extends to the end of the
 * text, so that each text is scanned once.
 */
const hiddenElements =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|template|noscript|svg|figcaption)\b[\s\S]*?(?:<\/\1\s*>|$)/giu
const blockElements =
  /<(?:br|p|div|li|ul|ol|h[1-6]|tr|td|blockquote|figure|img)\b[^<>]*>|<\/(?:p|div|li|h[1-6]|tr|td)\s*>/giu
/** Matches HTML tags. The text `a < b` contains no tag, because a tag begins with a letter. */
const tags = /<\/?[a-z][^<>]*>/giu
/** Matches control characters and characters of zero width or direction, which could hide text. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu

const withoutTags = (text: string): string =>
  text.replace(hiddenElements, " ").replace(blockElements, " ").replace(tags, "")

const clip = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  const cut = text.slice(0, maxLength - 1)
  const end = cut.lastIndexOf(" ")
  return `${(end > maxLength / 2 ? cut.slice(0, end) : cut.replace(/[\ud800-\udbff]$/u, "")).trimEnd()}…`
}

/**
 * Returns a text without markup, entities and invisible characters, in one line of at most `maxLength` UTF-16 units.
 * Entities are decoded at most twice, so that texts about entities stay intact.
 */
export const toPlainText = (markup: string, maxLength: number): string => {
  const once = decodeHTML(withoutTags(markup.slice(0, maxMarkupLength)))
  const text = decodeHTML(withoutTags(once))
  return clip(text.replace(/\s+/gu, " ").replace(invisible, "").replace(/ {2,}/gu, " ").trim(), maxLength)
}
