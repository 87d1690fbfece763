import { instrumentSpans } from "./instruments.ts"
import { words } from "./pattern.ts"
import { isKoreanTalk, talk, topics } from "./plainTalk.ts"
import { quantitiesIn } from "./quantities.ts"
import { masked } from "./readable.ts"
import { actOf, koreanVerbs } from "./verbs.ts"
import * as say from "./vocabulary.ts"

/** Where a sentence comes to something else: what follows may be said of all that stood before. */
const turns = /,(?!\d)|;|\s-+(?=\s|$)|\.{2,}|…|[()[\]{}|~]|<+-*|-*>+|[←→⇒]/u

const { above, allOf, below, condition, every, fresh, gap, half, hourly, long, nouns, reaches, score, short, vwap } =
  say
/** What requests are about, with the endings of Russian words, and the verbs of Korean ones. */
const things: ReadonlyArray<RegExp> = [
  /(?<![а-я])(?:когда|если|как только) он(?:а|о|и)?(?![а-я])/u,
  ...Object.values(nouns),
  long,
  short,
  half,
  above,
  below,
  reaches,
  score,
  vwap,
  gap,
  every,
  hourly,
  allOf,
  fresh,
  condition
].map(({ source }) => new RegExp(`(?:${source})[а-я]*`, "giu")).concat(koreanVerbs)

/** `piece` without its numbers, instruments and things, and without what is attached to Russian ones. */
const bare = (piece: string): string => {
  const letters = piece.split("")
  for (const { at, end } of [...quantitiesIn(piece), ...instrumentSpans(piece)]) {
    letters.fill(" ", at, end)
    for (let i = end; /[а-я]/iu.test(letters[i] ?? ""); i++) letters[i] = " "
  }
  return things.reduce(
    (text, pattern) => text.replace(pattern, (found) => " ".repeat(found.length)),
    letters.join("")
  )
}

const isPlain = (word: string): boolean => {
  if (talk.has(word) || isKoreanTalk(word)) return true
  // A Russian infinitive asks for something where it is asked whether one can.
  const act = actOf(word) ?? actOf(`можешь ${word}`)
  return act !== null && act.act !== "Other"
}

/** Whether nothing is said in `piece` but what requests are made of. */
const isUnderstood = (piece: string): boolean =>
  (bare(piece.replaceAll(masked, " ")).toLowerCase().match(/[\p{L}\p{M}'-]+/gu) ?? []).every(isPlain)

/** What is to be told or watched, and what it waits for, is said in words of any kind, where nothing else is asked. */
const isFree = (piece: string): boolean => {
  const act = actOf(piece.trim())?.act
  return act === "Report" || act === "Notify" || act === "Note" || condition.test(piece)
}

const choice = words("or", "아니면", "или|либо")

/** A question beside a request is about the market: any other may be about whether it is one, or what else to do. */
const isApart = (question: string): boolean => !choice.test(question) && topics.test(question)

/** A question beside a yes may be about an instrument as well. */
export const isQuestionApart = (sentence: string): boolean =>
  sentence.trim().endsWith("?") && !choice.test(sentence) &&
  (topics.test(sentence) || instrumentSpans(sentence).length > 0)

/**
 * Whether something stands in a message with requests that no request is made of. It may say of all of it that somebody
 * else has said so, or that it is a joke, in words that no list of such words has. `watches`: nothing is asked for but
 * to be told of something.
 */
export const hasStray = (sentences: ReadonlyArray<string>, watches: boolean): boolean =>
  sentences.some((sentence) =>
    sentence.endsWith("?") && !isUnderstood(sentence)
      ? !isApart(sentence)
      : !sentence.split(turns).every((piece) => (watches && isFree(piece)) || isUnderstood(piece))
  )
