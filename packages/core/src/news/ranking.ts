import { newestFirst } from "./articleOrder.ts"
import type { FoundArticle, TermGroup } from "./NewsIndex.ts"
import type { QueryTerms } from "./terms.ts"

/** A part of a word tells less than the word, and a title more than a body. */
const [partWeight, titleWeight] = [0.25, 0.5]
/** An article with a smaller share of the weight of all terms of a question does not answer it. */
const leastShare = 0.5

/**
 * Articles by the words of a question, the best first: each term that an article has adds its weight, more the fewer
 * articles have it, ln(1 + articles / those that have it), and half as much again in its title. A term that none has
 * counts as if one had. Of equal sums the newer is first.
 */
export const byWords = (
  { articles, groups }: { readonly articles: number; readonly groups: ReadonlyArray<TermGroup> },
  { terms, words }: QueryTerms,
  limit: number
): ReadonlyArray<FoundArticle> => {
  const half = terms.length / 2
  const has = (mask: number, i: number): boolean => Math.floor(mask / 2 ** i) % 2 === 1
  const weights = Array.from({ length: half }, (_, i) => {
    const count = groups.reduce((sum, group) => has(group.mask, i) ? sum + group.count : sum, 0)
    const weight = Math.log(1 + articles / Math.max(1, count))
    return Math.round(1_000 * (i < words.length ? 1 : partWeight) * weight)
  })
  const least = leastShare * weights.reduce((sum, weight) => sum + weight, 0)
  const scored = groups.flatMap(({ mask, newest }) => {
    const plain = weights.reduce((sum, weight, i) => has(mask, i) ? sum + weight : sum, 0)
    const inTitle = weights.reduce((sum, weight, i) => has(mask, half + i) ? sum + weight : sum, 0)
    return plain < least ? [] : newest.map((found) => ({ ...found, score: plain + titleWeight * inTitle }))
  })
  return scored.sort((a, b) => b.score - a.score || newestFirst(a, b)).slice(0, limit)
}

/** Orders of articles for several wordings in one: by the best place in any; of equal places the newer is first. */
export const byBestPlace = (lists: ReadonlyArray<ReadonlyArray<FoundArticle>>): ReadonlyArray<FoundArticle> => {
  const [first, ...others] = lists
  if (first === undefined || others.length === 0) return first ?? []
  const best = new Map<string, FoundArticle & { readonly place: number }>()
  for (const list of lists) {
    for (const [place, { id, time }] of list.entries()) {
      if (place < (best.get(id)?.place ?? Infinity)) best.set(id, { id, time, place })
    }
  }
  return [...best.values()].sort((a, b) => a.place - b.place || newestFirst(a, b))
}

/** What lessens the difference between the first places of a list: the usual constant of reciprocal rank fusion. */
const fusion = 60

export interface Ranked extends FoundArticle {
  /** 1 of what is first by meaning and by words. */
  readonly score: number
}

/**
 * Two orders in one, by reciprocal rank fusion: an article's score is the sum of 1 / (60 + place) over the lists that
 * have it, places from 1, and over what the first of both would have. Of equal scores the newer is first.
 */
export const fused = (
  lists: readonly [ReadonlyArray<FoundArticle>, ReadonlyArray<FoundArticle>]
): ReadonlyArray<Ranked> => {
  const sums = new Map<string, Ranked>()
  for (const list of lists) {
    for (const [i, { id, time }] of list.entries()) {
      const score = (sums.get(id)?.score ?? 0) + (fusion + 1) / (fusion + 1 + i) / lists.length
      sums.set(id, { id, time, score })
    }
  }
  return [...sums.values()].sort((a, b) => b.score - a.score || newestFirst(a, b))
}
