import { quoted } from "../../engine/text/quoted.ts"
import type { QueryTerms } from "./terms.ts"
import { wordsOf } from "./words.ts"

const mostCharacters = 160
/** The characters before the first matching word, so that it is shown in its sentence. */
const before = 40

/**
 * Returns the part of an article's body with the most words of the question, or else its beginning. The text is
 * untrusted: it becomes one line, without hidden or direction-changing characters.
 */
export const snippetOf = (body: string, { parts, words }: QueryTerms): string => {
  const asked = new Set(words)
  const hits = wordsOf(body).flatMap(({ at, length, stem, text }) => {
    const found = asked.has(stem) ? stem : parts.find((part) => text.includes(part))
    return found === undefined ? [] : [{ at, end: at + length, found }]
  })
  let best = { at: 0, distinct: 0 }
  for (const [i, { at }] of hits.entries()) {
    const within = new Set<string>()
    for (let k = i; k < hits.length && hits[k]!.end - at <= mostCharacters - before; k++) within.add(hits[k]!.found)
    if (within.size > best.distinct) best = { at, distinct: within.size }
  }
  if (best.at <= before) return quoted(body, mostCharacters)
  const from = best.at - before
  const space = body.slice(from, best.at).search(/\s/u)
  return quoted(`…${body.slice(space < 0 ? best.at : from + space).trimStart()}`, mostCharacters)
}
