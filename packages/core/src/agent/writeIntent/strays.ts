import { wordPattern } from "../../engine/text/wordPattern.ts"
import { findMentionSpans } from "../../market/instrumentMentions.ts"
import { isKoreanTalk, ofOthers, talk, topics } from "./plainTalk.ts"
import { quantitiesIn } from "./quantities.ts"
import { masked } from "./readable.ts"
import { actOf, koreanVerbs } from "./verbs.ts"
import * as say from "./vocabulary.ts"

/** Where a sentence comes to something else: what follows may be said of all that stood before. */
const turns = /(,(?!\d)|;|:(?!\d)|(?<!\d):|\s-+(?=\s|$)|\.{2,}|…|[()[\]{}|~]|<+-*|-*>+|[←→⇒])/u

/** Who is spoken to, where a message begins. */
const vocative =
  /^\s*(?:(?:hey|hi|hello|dear|ok|okay|please|thanks|good (?:morning|evening|afternoon|day))[\s,!.]+)*(?:tapeline|analyst|bot)(?=[\s,!]+\p{L})/iu

/** Somebody whose words, or whose doing, something is. */
const origin = /(?<![a-zа-я])(?:by|from|per|via|от)\s+(?:the |my |our )?$/iu

const { above, allOf, below, condition, every, fresh, gap, half, hourly, long, nouns, reaches, score, short, vwap } =
  say
/** What requests are about, with the endings of Russian words. */
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
].map(({ source }) => new RegExp(`(?:${source})[а-я]*`, "giu"))
const thingsAndVerbs = [...things, koreanVerbs]

/** What stands where a thing stood, so that what is attached to it is known from words of their own. */
const taken = "\ue001"

/** `piece` without its numbers, instruments and things, and without what is attached to Russian ones. */
const bare = (piece: string, isDetail: boolean): string => {
  const letters = piece.split("")
  for (const { at: start, end } of [...quantitiesIn(piece), ...findMentionSpans(piece)]) {
    letters.fill(taken, start, end)
    for (let i = end; /[а-я]/iu.test(letters[i] ?? ""); i++) letters[i] = " "
  }
  return (isDetail ? things : thingsAndVerbs).reduce(
    (text, pattern) => text.replace(pattern, (found) => taken.repeat(found.length)),
    letters.join("")
  )
}

const isVerb = (word: string): boolean => {
  // A Russian infinitive asks for something where it is asked whether one can.
  const act = actOf(word) ?? actOf(`можешь ${word}`)
  return act !== null && act.act !== "Other"
}

/** Words that tell more of a request, or of nothing: in what stands apart from it no verb is among them. */
const isPlain = (word: string, attached: boolean, isDetail: boolean): boolean =>
  (talk.has(word) && !(isDetail && ofOthers.has(word))) || isKoreanTalk(word, attached) || (!isDetail && isVerb(word))

/** Whether nothing is said in `piece` but what requests are made of. */
const isUnderstood = (piece: string, isDetail = false): boolean => {
  if (findMentionSpans(piece).some(({ at }) => origin.test(piece.slice(0, at)))) return false
  const left = bare(piece.replaceAll(masked, " "), isDetail).toLowerCase()
  return [...left.matchAll(/[\p{L}\p{M}'-]+/gu)].every(({ 0: word, index }) =>
    isPlain(word, left[index - 1] === taken, isDetail)
  )
}

/**
 * What begins with one of these stands apart: it may be a signature, or say where something is from. It tells of
 * instruments, numbers and things only; a dash may also begin the next request.
 */
const apart = /[([{|~:.…<>←→⇒-]/u

const isPiece = (piece: string, turn: string): boolean => {
  const act = turn.includes("-") ? actOf(piece.trim())?.act : undefined
  const goesOn = act !== undefined && act !== "Report" && act !== "Other"
  return isUnderstood(piece, apart.test(turn) && !goesOn)
}

/** What is to be told or watched, and what it waits for, is said in words of any kind, where nothing else is asked. */
const isFree = (piece: string): boolean => {
  const act = actOf(piece.trim())?.act
  return act === "Report" || act === "Notify" || act === "Note" || condition.test(piece)
}

const choice = wordPattern("or", "아니면", "или|либо")

/** A question beside a request is about the market: any other may be about whether it is one, or what else to do. */
const isApart = (question: string): boolean => !choice.test(question) && topics.test(question)

/**
 * Whether something stands in a message with requests that no request is made of. It may say of all of it that somebody
 * else has said so, or that it is a joke, in words that no list of such words has. `watches`: nothing is asked for but
 * to be told of something.
 */
export const hasStray = (sentences: ReadonlyArray<string>, watches: boolean): boolean =>
  sentences.some((whole, i) => {
    const sentence = i === 0 ? whole.replace(vocative, "") : whole
    if (sentence.endsWith("?") && !isUnderstood(sentence)) return !isApart(sentence)
    const pieces = sentence.split(turns)
    return !pieces.every((piece, n) => n % 2 === 1 || (watches && isFree(piece)) || isPiece(piece, pieces[n - 1] ?? ""))
  })
