/**
 * Estimates whether the discussion of a coin is manufactured. Signs of manufactured discussion are similar wording,
 * posts close in time, few accounts and young accounts. Sources: Pacheco et al., "Uncovering Coordinated Networks on
 * Social Media", ICWSM 2021; Varol et al., "Online Human-Bot Interactions", ICWSM 2017.
 */
import { normaliseText } from "@tapeline/quant/text"
import { Schema } from "effect"
import type { Job } from "../../engine/compute/job.ts"
import type { SocialPost } from "../../market/social.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getSimilarity, groupNearCopies, type Shingles, toShingles } from "./nearCopies.ts"
import { minPosts } from "./vocabulary.ts"

const Post = Schema.Struct({
  time: Schema.Finite,
  handle: Schema.String,
  text: Schema.String,
  ageMs: Schema.NullOr(Schema.Finite),
  followers: Schema.NullOr(Schema.Finite)
})
type Post = typeof Post.Type

const Measures = Schema.Struct({
  coherence: Schema.Finite,
  duplication: Schema.Finite,
  concentration: Schema.Finite,
  accountQuality: Schema.NullOr(Schema.Finite),
  score: Schema.Finite
})
type Measures = typeof Measures.Type

const AuthenticityResult = Schema.Struct({
  measures: Schema.NullOr(Measures),
  /** Groups of near copies, largest group first. Each group contains the indices of its posts. */
  groups: Schema.Array(Schema.Array(Schema.Int)),
  phrases: Schema.Array(Schema.Struct({ phrase: Schema.String, posts: Schema.Int, authors: Schema.Int }))
})

const maxComparedCharacters = 1_000

/** Converts posts to the input of the authenticity job. `posts` must be sorted oldest first. */
export const toComparablePosts = (posts: ReadonlyArray<SocialPost>): ReadonlyArray<Post> =>
  posts.map(({ account, text, time }) => ({
    time,
    handle: account.handle,
    text: text.slice(0, maxComparedCharacters),
    ageMs: account.createdAt === null ? null : Math.max(0, time - account.createdAt),
    followers: account.followers
  }))

const neighbourCount = 12
const minSimilarity = 0.3

/**
 * Returns the share of similarly worded pairs of posts. A pair consists of posts by different accounts that are close
 * in time.
 */
const getCoherence = (posts: ReadonlyArray<Post>, wordings: ReadonlyArray<Shingles>): number => {
  let [similarPairs, pairs] = [0, 0]
  for (let i = 0; i < posts.length; i++) {
    for (let j = i + 1; j <= i + neighbourCount && j < posts.length; j++) {
      if (posts[i]!.handle === posts[j]!.handle) continue
      pairs++
      if (getSimilarity(wordings[i]!, wordings[j]!) >= minSimilarity) similarPairs++
    }
  }
  return pairs === 0 ? 0 : similarPairs / pairs
}

const busiestCount = 10

/**
 * Returns how unevenly the posts are distributed: 0 for equal shares, and 1 if the ten busiest accounts wrote all
 * posts.
 */
const getConcentration = (posts: ReadonlyArray<Post>): number => {
  const counts = [...Map.groupBy(posts, ({ handle }) => handle).values()].map((own) => own.length).sort((a, b) => b - a)
  if (counts.length <= busiestCount) return 1
  const share = counts.slice(0, busiestCount).reduce((sum, count) => sum + count, 0) / posts.length
  const evenShare = busiestCount / counts.length
  return (share - evenShare) / (1 - evenShare)
}

const establishedAgeMs = 365 * dayMs
const establishedFollowers = 1_000

/**
 * Returns how established the accounts are on average, from 0 to 1. Returns null if too few accounts report their age
 * or followers.
 */
const getAccountQuality = (posts: ReadonlyArray<Post>): number | null => {
  const grades = posts.flatMap(({ ageMs, followers }) => {
    const accountGrades = [
      ...(ageMs === null ? [] : [Math.min(1, ageMs / establishedAgeMs)]),
      ...(followers === null ? [] : [Math.min(1, Math.log1p(followers) / Math.log1p(establishedFollowers))])
    ]
    return accountGrades.length === 0
      ? []
      : [accountGrades.reduce((sum, grade) => sum + grade, 0) / accountGrades.length]
  })
  return grades.length < minPosts / 2 ? null : grades.reduce((sum, grade) => sum + grade, 0) / grades.length
}

/** The minimum number of accounts at which a group of near copies counts as coordinated. */
const minAccounts = 3

const countAccounts = (posts: ReadonlyArray<Post>, group: ReadonlyArray<number>): number =>
  new Set(group.map((i) => posts[i]!.handle)).size

const scaleBetween = (value: number, none: number, full: number): number =>
  Math.min(1, Math.max(0, (value - none) / (full - none)))

/**
 * The weight of each measure in the score of manufactured posts. A measure at `none` adds nothing to the score, and a
 * measure at `full` adds its full weight. The values of `none` and `full` separate manufactured from organic episodes
 * in the simulated market.
 */
const weights = {
  duplication: { weight: 0.35, none: 0.15, full: 0.4 },
  coherence: { weight: 0.25, none: 0.02, full: 0.1 },
  concentration: { weight: 0.15, none: 0.1, full: 0.3 },
  accountQuality: { weight: 0.25, none: 0.82, full: 0.65 }
} as const

const computeScore = (measures: Omit<Measures, "score">): number => {
  let [sum, weight] = [0, 0]
  for (const name of ["duplication", "coherence", "concentration", "accountQuality"] as const) {
    const value = measures[name]
    if (value === null) continue
    sum += weights[name].weight * scaleBetween(value, weights[name].none, weights[name].full)
    weight += weights[name].weight
  }
  return sum / weight
}

const computeMeasures = (
  posts: ReadonlyArray<Post>,
  wordings: ReadonlyArray<Shingles>,
  groups: ReadonlyArray<ReadonlyArray<number>>
): Measures => {
  const measures = {
    coherence: getCoherence(posts, wordings),
    duplication:
      groups.reduce((sum, group) => sum + (countAccounts(posts, group) < minAccounts ? 0 : group.length), 0) /
      posts.length,
    concentration: getConcentration(posts),
    accountQuality: getAccountQuality(posts)
  }
  return { ...measures, score: computeScore(measures) }
}

const phraseWords = 4
const maxPhrases = 5
const minPostsPerPhrase = 3

/** Finds phrases that several accounts use. A phrase that mostly occurs together with an earlier phrase is omitted. */
const findPhrases = (posts: ReadonlyArray<Post>) => {
  const postsByPhrase = new Map<string, Set<number>>()
  posts.forEach(({ text }, i) => {
    const words = normaliseText(text).split(" ")
    for (let start = 0; start + phraseWords <= words.length; start++) {
      const phrase = words.slice(start, start + phraseWords).join(" ")
      const postIndices = postsByPhrase.get(phrase)
      if (postIndices === undefined) postsByPhrase.set(phrase, new Set([i]))
      else postIndices.add(i)
    }
  })
  const common = [...postsByPhrase].filter(([, places]) => places.size >= minPostsPerPhrase)
    .map(([phrase, places]) => ({ phrase, places, authors: new Set([...places].map((i) => posts[i]!.handle)).size }))
    .filter(({ authors }) => authors > 1)
    .sort((a, b) => b.authors - a.authors || b.places.size - a.places.size || (a.phrase < b.phrase ? -1 : 1))
  const chosen: Array<(typeof common)[number]> = []
  for (const candidate of common) {
    if (chosen.length === maxPhrases) break
    const isOverlapping = chosen.some(({ places }) =>
      2 * [...candidate.places].filter((i) => places.has(i)).length > candidate.places.size
    )
    if (!isOverlapping) chosen.push(candidate)
  }
  return chosen.map(({ authors, phrase, places }) => ({ phrase, posts: places.size, authors }))
}

const minManufacturedScore = 0.4

export const getLabel = ({ score }: Measures): "manufactured" | "organic" =>
  score >= minManufacturedScore ? "manufactured" : "organic"

/** Measures the authenticity of posts. `posts` must be sorted oldest first. */
export const authenticityJob: Job<ReadonlyArray<Post>, typeof AuthenticityResult.Type> = {
  name: "authenticity of posts",
  input: Schema.Array(Post),
  output: AuthenticityResult,
  run: (posts) => {
    const wordings = toShingles(posts.map(({ text }) => text))
    const groups = groupNearCopies(wordings)
    return {
      measures: posts.length < minPosts ? null : computeMeasures(posts, wordings, groups),
      groups,
      phrases: findPhrases(posts)
    }
  }
}
