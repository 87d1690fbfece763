import type { Language } from "@tapeline/core/engine"
import { Effect } from "effect"
import { converse, type Reply } from "./converse.ts"
import { catalogue } from "./market.ts"
import type { Question } from "./question.ts"
import { type Faults, faultsOf } from "./score.ts"

export interface Verdict {
  readonly question: Question
  readonly lang: Language
  readonly reply: Reply
  readonly faults: Faults
}

export const languages: ReadonlyArray<Language> = ["en", "ko", "ru"]

/** The questions that can be asked: what needs a tool that is not there is left out. */
export const askable = (questions: ReadonlyArray<Question>): ReadonlyArray<Question> => {
  const names = new Set(catalogue.map(({ name }) => name))
  return questions.filter(({ needs }) => needs === undefined || names.has(needs))
}

/** Asks the configured model one question in one language, and judges what it says. */
export const evaluate = Effect.fnUntraced(function*(question: Question, lang: Language) {
  const replies = yield* converse({
    lang,
    messages: question.ask[lang],
    coin: question.coin ?? null,
    facts: question.facts ?? {},
    journal: question.journal ?? [],
    scopes: question.scopes ?? ["read:market", "agent:chat"]
  })
  const reply = replies.at(-1) ?? { text: "", made: [], suggestions: [], outcome: "failed" }
  return { question, lang, reply, faults: faultsOf(question, reply) }
})

/** Questions that are asked at the same time: an answer waits more than it computes. */
const atOnce = 6

/** Asks all questions in some languages; the verdicts in their order. */
export const evaluateAll = (questions: ReadonlyArray<Question>, asked: ReadonlyArray<Language> = languages) =>
  Effect.forEach(
    askable(questions).flatMap((question) => asked.map((lang) => ({ question, lang }))),
    ({ lang, question }) => evaluate(question, lang),
    { concurrency: atOnce }
  )

/** How many of so many pass, in percent. */
const rate = (verdicts: ReadonlyArray<Verdict>): number =>
  verdicts.length === 0 ? 100 : 100 * verdicts.filter(({ faults }) => faults.length === 0).length / verdicts.length

export const passRate = rate

/** Passed of asked, by intent and language. */
export const tableOf = (verdicts: ReadonlyArray<Verdict>): string => {
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
