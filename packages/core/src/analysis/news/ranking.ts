import { newestFirst } from "./articleOrder.ts"
import type { FoundArticle, TermGroup } from "./NewsIndex.ts"
import type { QueryTerms } from "./terms.ts"
import { wordsOf } from "./words.ts"

/** A part of a word tells less than the word, and a title more than a body. */
const [partWeight, titleWeight] = [0.25, 0.5]
/** An article answers a question only if it has more than this share of the weight of all its terms. */
const leastShare = 0.5

/** Words of questions that fit nearly every article about a market, so that having them says nothing. */
const generic = new Set(
  wordsOf("price prices news latest update headlines article 가격 시세 뉴스 소식 기사 цена цены новости статьи")
    .map(({ stem }) => stem)
)

/** The articles that have any of a question's terms. */
export interface Matching {
  readonly articles: number
  readonly groups: ReadonlyArray<TermGroup>
}

const has = (mask: number, i: number): boolean => Math.floor(mask / 2 ** i) % 2 === 1

/** The weight of a term by its place: ln(1 + articles / those that have it). At least one counts as having it. */
export const weightOf = ({ articles, groups }: Matching, place: number): number => {
  const count = groups.reduce((sum, group) => has(group.mask, place) ? sum + group.count : sum, 0)
  return Math.round(1_000 * Math.log(1 + articles / Math.max(1, count)))
}

/** The weights of a question's words and then of their parts; 0 for generic words unless there is no other. */
export const weightsOf = (matching: Matching, { terms, words }: QueryTerms): ReadonlyArray<number> => {
  const isGeneric = words.map((word) => generic.has(word))
  const hasOther = isGeneric.includes(false)
  return Array.from({ length: terms.length / 2 }, (_, i) => {
    if (hasOther && isGeneric[i] === true) return 0
    return (i < words.length ? 1 : partWeight) * weightOf(matching, i)
  })
}

/**
 * Articles by the words of a question, the best first: each term that an article has adds its weight, and half as much
 * again in its title. An article that has one word of several has it in its title. Of equal sums the newer is first.
 */
export const byWords = (matching: Matching, asked: QueryTerms, limit: number): ReadonlyArray<FoundArticle> => {
  const { groups } = matching
  const weights = weightsOf(matching, asked)
  const half = weights.length
  const words = asked.parts.length > 0 ? [] : weights.flatMap((weight, i) => weight > 0 ? [i] : [])
  const isIncidental = (mask: number): boolean =>
    words.length > 1 && words.filter((i) => has(mask, i)).length === 1 && !words.some((i) => has(mask, half + i))
  const least = leastShare * weights.reduce((sum, weight) => sum + weight, 0)
  const scored = groups.flatMap(({ mask, newest }) => {
    const plain = weights.reduce((sum, weight, i) => has(mask, i) ? sum + weight : sum, 0)
    const inTitle = weights.reduce((sum, weight, i) => has(mask, half + i) ? sum + weight : sum, 0)
    return plain <= least || isIncidental(mask)
      ? []
      : newest.map((found) => ({ ...found, score: plain + titleWeight * inTitle }))
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
