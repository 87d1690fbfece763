/** Converts the content of feeds to plain text. The content is plain text, or HTML that is escaped once or twice. */
import { decodeHTML } from "entities"

const maxMarkupLength = 40_000

/**
 * Matches elements whose content is not displayed. An element without an end tag extends to the end of the text, so
 * that each text is scanned only once.
 */
const hiddenElements =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|template|noscript|svg|figcaption)\b[\s\S]*?(?:<\/\1\s*>|$)/giu
const blockElements =
  /<(?:br|p|div|li|ul|ol|h[1-6]|tr|td|blockquote|figure|img)\b[^<>]*>|<\/(?:p|div|li|h[1-6]|tr|td)\s*>/giu
/** Matches tags, which begin with a letter. The text `a < b` contains no tag. */
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
 * Removes markup, entities and invisible characters. Returns one line of at most `maxLength` UTF-16 units. Text is
 * unescaped at most twice, so that texts about entities stay intact.
 */
export const toPlainText = (markup: string, maxLength: number): string => {
  const once = decodeHTML(withoutTags(markup.slice(0, maxMarkupLength)))
  const text = decodeHTML(withoutTags(once))
  return clip(text.replace(/\s+/gu, " ").replace(invisible, "").replace(/ {2,}/gu, " ").trim(), maxLength)
}
