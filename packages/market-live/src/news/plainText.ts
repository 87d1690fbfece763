/** Converts the content of feeds, which is plain text or HTML that is escaped once or twice, to plain text. */
import { decodeHTML } from "entities"

const maxMarkupLength = 40_000

/**
 * Matches elements whose content is not displayed, up to the end of the text without an end tag, so that each text is
 * scanned once.
 */
const hiddenElements =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|template|noscript|svg|figcaption)\b[\s\S]*?(?:<\/\1\s*>|$)/giu
const blockElements =
  /<(?:br|p|div|li|ul|ol|h[1-6]|tr|td|blockquote|figure|img)\b[^<>]*>|<\/(?:p|div|li|h[1-6]|tr|td)\s*>/giu
/** Matches tags, which begin with a letter, unlike the text `a < b`. */
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
 * Text is unescaped at most twice, so that texts about entities stay intact.
 */
export const toPlainText = (markup: string, maxLength: number): string => {
  const once = decodeHTML(withoutTags(markup.slice(0, maxMarkupLength)))
  const text = decodeHTML(withoutTags(once))
  return clip(text.replace(/\s+/gu, " ").replace(invisible, "").replace(/ {2,}/gu, " ").trim(), maxLength)
}
