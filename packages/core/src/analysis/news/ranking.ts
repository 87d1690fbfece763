import { newestFirst } from "./articleOrder.ts"
import type { FoundArticle, TermGroup } from "./NewsIndex.ts"
import type { QueryTerms } from "./terms.ts"
import { splitWords } from "./words.ts"

/** The weight of a part of a word relative to the whole word, and the additional weight of a term in the title. */
const [partWeight, titleWeight] = [0.25, 0.5]
/** The share of the weight of a question's terms that a matching article must exceed. */
const minShare = 0.5

/** The words of questions that match nearly every article about a market, so that they carry no information. */
const genericStems = new Set(
  splitWords("price prices news latest update headlines article 가격 시세 뉴스 소식 기사 цена цены новости статьи")
    .map(({ stem }) => stem)
)

/** The articles that contain any of a question's terms. */
export interface TermMatches {
  readonly articles: number
  readonly groups: ReadonlyArray<TermGroup>
}

const hasTerm = (mask: number, i: number): boolean => Math.floor(mask / 2 ** i) % 2 === 1

/** Returns the weight of the term at `termIndex`: ln(1 + articles / articles with the term), in thousandths. */
export const getTermWeight = ({ articles, groups }: TermMatches, termIndex: number): number => {
  const count = groups.reduce((sum, group) => hasTerm(group.mask, termIndex) ? sum + group.count : sum, 0)
  return Math.round(1_000 * Math.log(1 + articles / Math.max(1, count)))
}

/** Returns the weights of a question's words and word parts, with 0 for generic words among other words. */
export const getTermWeights = (matches: TermMatches, { terms, words }: QueryTerms): ReadonlyArray<number> => {
  const isGeneric = words.map((word) => genericStems.has(word))
  const hasOther = isGeneric.includes(false)
  return Array.from({ length: terms.length / 2 }, (_, i) => {
    if (hasOther && isGeneric[i] === true) return 0
    return (i < words.length ? 1 : partWeight) * getTermWeight(matches, i)
  })
}

/**
 * Ranks articles by the words of a question, best first. Each term of an article adds its weight, and half of its
 * weight again if the title contains the term. If an article has only one of several words, its title must contain the
 * word.
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

/** Merges the rankings of several wordings by each article's best rank, and then by time, newest first. */
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

/** The usual constant of reciprocal rank fusion, which reduces the difference between the first ranks of a list. */
const fusionConstant = 60

export interface RankedArticle extends FoundArticle {
  /** The fused score of an article, which is 1 if the article is first by meaning and by words. */
  readonly score: number
}

/**
 * Merges two rankings by reciprocal rank fusion. An article's score is the sum of 1 / (60 + rank) over the lists that
 * contain the article, divided by the sum of an article that is first in both lists.
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
