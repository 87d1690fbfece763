import { newestFirst } from "./articleOrder.ts"
import { isGenericStem } from "./genericWords.ts"
import type { FoundArticle, TermGroup } from "./NewsIndex.ts"
import type { QueryTerms } from "./terms.ts"

/** The weight factor of a part of a word, and the additional weight factor of a term in the title. */
const [partWeight, titleWeight] = [0.25, 0.5]
/** An article matches only if its terms have more than this share of the question's total term weight. */
const minShare = 0.5

/** The articles that contain any of a question's terms. */
export interface TermMatches {
  readonly articles: number
  readonly groups: ReadonlyArray<TermGroup>
}

const hasTerm = (mask: number, i: number): boolean => Math.floor(mask / 2 ** i) % 2 === 1

/** Returns the number of articles that contain a term. */
export const countArticles = ({ groups }: TermMatches, termIndex: number): number =>
  groups.reduce((sum, group) => hasTerm(group.mask, termIndex) ? sum + group.count : sum, 0)

/** Returns the weight of a term: ln(1 + articles / articles with the term), in thousandths. */
export const getTermWeight = (matches: TermMatches, termIndex: number): number =>
  Math.round(1_000 * Math.log(1 + matches.articles / Math.max(1, countArticles(matches, termIndex))))

/**
 * Returns the weights of a question's words and word parts. If the question also has other words, generic words have a
 * weight of 0.
 */
export const getTermWeights = (matches: TermMatches, { terms, words }: QueryTerms): ReadonlyArray<number> => {
  const isGeneric = words.map(isGenericStem)
  const hasOther = isGeneric.includes(false)
  return Array.from({ length: terms.length / 2 }, (_, i) => {
    if (hasOther && isGeneric[i] === true) return 0
    return (i < words.length ? 1 : partWeight) * getTermWeight(matches, i)
  })
}

/**
 * Ranks articles by the words of a question, best first. Each term of the question that an article contains adds the
 * term's weight. A term in the title adds 1.5 times its weight. If the question has several words and an article
 * contains only one of them, the article's title must contain the word.
 */
export const rankByWords = (
  matches: TermMatches,
  queryTerms: QueryTerms,
  limit: number
): ReadonlyArray<FoundArticle> => {
  const { groups } = matches
  const weights = getTermWeights(matches, queryTerms)
  const titleOffset = weights.length
  const weightedWords = queryTerms.parts.length > 0 ? [] : weights.flatMap((weight, i) => weight > 0 ? [i] : [])
  const isIncidental = (mask: number): boolean =>
    weightedWords.length > 1 && weightedWords.filter((i) => hasTerm(mask, i)).length === 1 &&
    !weightedWords.some((i) => hasTerm(mask, titleOffset + i))
  const minWeight = minShare * weights.reduce((sum, weight) => sum + weight, 0)
  const scored = groups.flatMap(({ mask, newest }) => {
    const textWeight = weights.reduce((sum, weight, i) => hasTerm(mask, i) ? sum + weight : sum, 0)
    const titleSum = weights.reduce((sum, weight, i) => hasTerm(mask, titleOffset + i) ? sum + weight : sum, 0)
    return textWeight <= minWeight || isIncidental(mask)
      ? []
      : newest.map((found) => ({ ...found, score: textWeight + titleWeight * titleSum }))
  })
  return scored.sort((a, b) => b.score - a.score || newestFirst(a, b)).slice(0, limit)
}

/** Merges the rankings of several wordings. Articles are sorted by their best rank, and then by time, newest first. */
export const mergeByBestRank = (lists: ReadonlyArray<ReadonlyArray<FoundArticle>>): ReadonlyArray<FoundArticle> => {
  const [first, ...others] = lists
  if (first === undefined || others.length === 0) return first ?? []
  const best = new Map<string, FoundArticle & { readonly rank: number }>()
  for (const list of lists) {
    for (const [rank, { id, time }] of list.entries()) {
      if (rank < (best.get(id)?.rank ?? Infinity)) best.set(id, { id, time, rank })
    }
  }
  return [...best.values()].sort((a, b) => a.rank - b.rank || newestFirst(a, b))
}

/** The usual constant of reciprocal rank fusion. A larger constant makes the scores of the first ranks more similar. */
const fusionConstant = 60

export interface RankedArticle extends FoundArticle {
  /** The fused score of an article. An article that is first in both rankings has a score of 1. */
  readonly score: number
}

/**
 * Merges two rankings by reciprocal rank fusion. The score of an article is the sum of 1 / (60 + rank) over the
 * rankings that contain it, divided by the largest possible sum.
 */
export const fuseRankings = (
  lists: readonly [ReadonlyArray<FoundArticle>, ReadonlyArray<FoundArticle>]
): ReadonlyArray<RankedArticle> => {
  const sums = new Map<string, RankedArticle>()
  for (const list of lists) {
    for (const [i, { id, time }] of list.entries()) {
      const score = (sums.get(id)?.score ?? 0) + (fusionConstant + 1) / (fusionConstant + 1 + i) / lists.length
      sums.set(id, { id, time, score })
    }
  }
  return [...sums.values()].sort((a, b) => b.score - a.score || newestFirst(a, b))
}
