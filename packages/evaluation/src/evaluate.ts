import type { Language } from "@tapeline/core/engine"
import { Effect } from "effect"
import { converse, type Reply } from "./converse.ts"
import { catalogue } from "./engine.ts"
import type { Question } from "./question.ts"
import { listErrors, type ReplyErrors } from "./score.ts"

export interface Verdict {
  readonly question: Question
  readonly lang: Language
  readonly reply: Reply
  readonly faults: ReplyErrors
}

export const languages: ReadonlyArray<Language> = ["en", "ko", "ru"]

/** Returns the questions that need no tool or an existing tool. */
export const selectAnswerable = (questions: ReadonlyArray<Question>): ReadonlyArray<Question> => {
  const names = new Set(catalogue.map(({ name }) => name))
  return questions.filter(({ requiredTool }) => requiredTool === undefined || names.has(requiredTool))
}

export const evaluateQuestion = Effect.fnUntraced(function*(question: Question, lang: Language) {
  const replies = yield* converse({
    lang,
    messages: question.messages[lang],
    coin: question.coin ?? null,
    facts: question.facts ?? {},
    journal: question.journal ?? [],
    scopes: question.scopes ?? ["read:market", "agent:chat"]
  })
  // A question has at least one message, so that there is a last reply.
  const reply = replies.at(-1)!
  return { question, lang, reply, faults: listErrors(question, lang, reply) }
})

const maxConcurrentQuestions = 6

export const evaluateAll = (
  questions: ReadonlyArray<Question>,
  selectedLanguages: ReadonlyArray<Language> = languages
) =>
  Effect.forEach(
    selectAnswerable(questions).flatMap((question) => selectedLanguages.map((lang) => ({ question, lang }))),
    ({ lang, question }) => evaluateQuestion(question, lang),
    { concurrency: maxConcurrentQuestions }
  )

export const computePassRate = (verdicts: ReadonlyArray<Verdict>): number =>
  verdicts.length === 0 ? 100 : 100 * verdicts.filter(({ faults }) => faults.length === 0).length / verdicts.length

export const formatTable = (verdicts: ReadonlyArray<Verdict>): string => {
  const cell = (some: ReadonlyArray<Verdict>) =>
    some.length === 0 ? "-" : `${some.filter(({ faults }) => faults.length === 0).length}/${some.length}`
  const row = (name: string, some: ReadonlyArray<Verdict>) =>
    [name.padEnd(20), ...languages.map((lang) => cell(some.filter((verdict) => verdict.lang === lang)).padStart(7))]
      .join(" ")
  const intents = [...new Set(verdicts.map(({ question }) => question.intent))].sort()
  return [
    ["intent".padEnd(20), ...languages.map((lang) => lang.padStart(7))].join(" "),
    ...intents.map((intent) => row(intent, verdicts.filter(({ question }) => question.intent === intent))),
    row("all", verdicts)
  ].join("\n")
}

/** Returns how many numbers of the answers a tool result supports, and the share of the others in percent. */
export const formatFigures = (verdicts: ReadonlyArray<Verdict>): string => {
  const supported = verdicts.reduce((sum, { reply }) => sum + reply.figures.length, 0)
  const unmatched = verdicts.reduce((sum, { reply }) => sum + reply.unmatched.length, 0)
  const share = supported + unmatched === 0 ? 0 : 100 * unmatched / (supported + unmatched)
  return `${supported + unmatched} figures, of which ${unmatched} (${share.toFixed(1)} %) match no tool result.`
}
