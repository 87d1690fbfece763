/**
 * Estimates from posts whether talk is organic or manufactured. The measures follow research on coordinated accounts
 * (Pacheco et al., "Uncovering Coordinated Networks on Social Media", ICWSM 2021; Varol et al., "Online Human-Bot
 * Interactions", ICWSM 2017): the same words, by few and young accounts, at the same time.
 */
import { normaliseText } from "@tapeline/quant/text"
import { Schema } from "effect"
import type { Job } from "../../engine/compute/job.ts"
import type { SocialPost } from "../../market/social.ts"
import { dayMs } from "../../market/timeframe.ts"
import { leastPosts } from "./leastPosts.ts"
import { likeness, nearCopies, type Wording, wordingsOf } from "./nearCopies.ts"

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

const Found = Schema.Struct({
  measures: Schema.NullOr(Measures),
  /** Groups of near copies by the indices of their posts, largest group first. */
  groups: Schema.Array(Schema.Array(Schema.Int)),
  phrases: Schema.Array(Schema.Struct({ phrase: Schema.String, posts: Schema.Int, authors: Schema.Int }))
})

/** The maximum length of the text of a post that is compared. */
const comparedCharacters = 1_000

/** Converts posts to the input of the job, oldest first. */
export const comparable = (posts: ReadonlyArray<SocialPost>): ReadonlyArray<Post> =>
  posts.map(({ account, text, time }) => ({
    time,
    handle: account.handle,
    text: text.slice(0, comparedCharacters),
    ageMs: account.createdAt === null ? null : Math.max(0, time - account.createdAt),
    followers: account.followers
  }))

const neighbours = 12
const alike = 0.3

/** Returns the share of similarly worded pairs among posts that are close in time and by two accounts. */
const coherenceOf = (posts: ReadonlyArray<Post>, wordings: ReadonlyArray<Wording>): number => {
  let [close, pairs] = [0, 0]
  for (let i = 0; i < posts.length; i++) {
    for (let j = i + 1; j <= i + neighbours && j < posts.length; j++) {
      if (posts[i]!.handle === posts[j]!.handle) continue
      pairs++
      if (likeness(wordings[i]!, wordings[j]!) >= alike) close++
    }
  }
  return pairs === 0 ? 0 : close / pairs
}

const busiest = 10

/** Returns the share of posts by the ten busiest accounts in excess of an even distribution, 0 to 1. */
const concentrationOf = (posts: ReadonlyArray<Post>): number => {
  const counts = [...Map.groupBy(posts, ({ handle }) => handle).values()].map((own) => own.length).sort((a, b) => b - a)
  if (counts.length <= busiest) return 1
  const share = counts.slice(0, busiest).reduce((sum, count) => sum + count, 0) / posts.length
  const even = busiest / counts.length
  return (share - even) / (1 - even)
}

const grownMs = 365 * dayMs
const followed = 1_000

/** Returns the mean of how established the accounts of posts are, from the reported age and followers, 0 to 1. */
const qualityOf = (posts: ReadonlyArray<Post>): number | null => {
  const grades = posts.flatMap(({ ageMs, followers }) => {
    const told = [
      ...(ageMs === null ? [] : [Math.min(1, ageMs / grownMs)]),
      ...(followers === null ? [] : [Math.min(1, Math.log1p(followers) / Math.log1p(followed))])
    ]
    return told.length === 0 ? [] : [told.reduce((sum, grade) => sum + grade, 0) / told.length]
  })
  return grades.length < leastPosts / 2 ? null : grades.reduce((sum, grade) => sum + grade, 0) / grades.length
}

/** Copies by fewer accounts are not evidence of coordination: an author may repeat a post, or a friend may copy it. */
const leastAccounts = 3

const accountsOf = (posts: ReadonlyArray<Post>, group: ReadonlyArray<number>): number =>
  new Set(group.map((i) => posts[i]!.handle)).size

const between = (value: number, none: number, full: number): number =>
  Math.min(1, Math.max(0, (value - none) / (full - none)))

/**
 * The weight of each measure, and the values at which it counts as nothing and fully. They are chosen so that they
 * distinguish the episodes of the simulated market, whose origin is known.
 */
const weights = {
  duplication: { weight: 0.35, none: 0.15, full: 0.4 },
  coherence: { weight: 0.25, none: 0.02, full: 0.1 },
  concentration: { weight: 0.15, none: 0.1, full: 0.3 },
  accountQuality: { weight: 0.25, none: 0.82, full: 0.65 }
} as const

const scoreOf = (measures: Omit<Measures, "score">): number => {
  let [sum, weight] = [0, 0]
  for (const name of ["duplication", "coherence", "concentration", "accountQuality"] as const) {
    const value = measures[name]
    if (value === null) continue
    sum += weights[name].weight * between(value, weights[name].none, weights[name].full)
    weight += weights[name].weight
  }
  return sum / weight
}

const measuresOf = (
  posts: ReadonlyArray<Post>,
  wordings: ReadonlyArray<Wording>,
  groups: ReadonlyArray<ReadonlyArray<number>>
): Measures => {
  const measures = {
    coherence: coherenceOf(posts, wordings),
    duplication: groups.reduce((sum, group) => sum + (accountsOf(posts, group) < leastAccounts ? 0 : group.length), 0) /
      posts.length,
    concentration: concentrationOf(posts),
    accountQuality: qualityOf(posts)
  }
  return { ...measures, score: scoreOf(measures) }
}

const phraseWords = 4
const phrasesTold = 5
const leastSaying = 3

/** Returns word sequences that several accounts share. Most posts of each contain no earlier sequence of the list. */
const phrasesOf = (posts: ReadonlyArray<Post>) => {
  const said = new Map<string, Set<number>>()
  posts.forEach(({ text }, i) => {
    const words = normaliseText(text).split(" ")
    for (let at = 0; at + phraseWords <= words.length; at++) {
      const phrase = words.slice(at, at + phraseWords).join(" ")
      const places = said.get(phrase)
      if (places === undefined) said.set(phrase, new Set([i]))
      else places.add(i)
    }
  })
  const common = [...said].filter(([, places]) => places.size >= leastSaying)
    .map(([phrase, places]) => ({ phrase, places, authors: new Set([...places].map((i) => posts[i]!.handle)).size }))
    .filter(({ authors }) => authors > 1)
    .sort((a, b) => b.authors - a.authors || b.places.size - a.places.size || (a.phrase < b.phrase ? -1 : 1))
  const told: Array<(typeof common)[number]> = []
  for (const one of common) {
    if (told.length === phrasesTold) break
    const shared = told.some(({ places }) => 2 * [...one.places].filter((i) => places.has(i)).length > one.places.size)
    if (!shared) told.push(one)
  }
  return told.map(({ authors, phrase, places }) => ({ phrase, posts: places.size, authors }))
}

/** The minimum score of manufactured talk. */
const manufactured = 0.4

export const labelOf = ({ score }: Measures): "manufactured" | "organic" =>
  score >= manufactured ? "manufactured" : "organic"

/** Measures posts, oldest first. */
export const authenticityJob: Job<ReadonlyArray<Post>, typeof Found.Type> = {
  name: "authenticity of posts",
  input: Schema.Array(Post),
  output: Found,
  run: (posts) => {
    const wordings = wordingsOf(posts.map(({ text }) => text))
    const groups = nearCopies(wordings)
    return {
      measures: posts.length < leastPosts ? null : measuresOf(posts, wordings, groups),
      groups,
      phrases: phrasesOf(posts)
    }
  }
}
