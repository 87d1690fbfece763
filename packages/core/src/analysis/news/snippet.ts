import { quoteText } from "../../engine/text/formatting.ts"
import type { QueryTerms } from "./terms.ts"
import { splitWords } from "./words.ts"

const maxCharacters = 160
const contextLength = 40

/**
 * Returns the part of an article's body with the most words of the question, or else the beginning of the body. The
 * text of an article is untrusted. The snippet is therefore one line without hidden or direction-changing characters.
 */
export const makeSnippet = (body: string, { parts, words }: QueryTerms): string => {
  const queryStems = new Set(words)
  const matches = splitWords(body).flatMap(({ at, length, stem, text }) => {
    const found = queryStems.has(stem) ? stem : parts.find((part) => text.includes(part))
    return found === undefined ? [] : [{ at, end: at + length, found }]
  })
  let best = { at: 0, distinct: 0 }
  for (const [i, { at }] of matches.entries()) {
    const distinctMatches = new Set<string>()
    for (let k = i; k < matches.length && matches[k]!.end - at <= maxCharacters - contextLength; k++) {
      distinctMatches.add(matches[k]!.found)
    }
    if (distinctMatches.size > best.distinct) best = { at, distinct: distinctMatches.size }
  }
  if (best.at <= contextLength) return quoteText(body, maxCharacters)
  const from = best.at - contextLength
  const space = body.slice(from, best.at).search(/\s/u)
  return quoteText(`…${body.slice(space < 0 ? best.at : from + space).trimStart()}`, maxCharacters)
}
