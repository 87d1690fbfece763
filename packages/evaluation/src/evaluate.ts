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

/** Returns the questions whose required tool, if any, exists. */
export const askable = (questions: ReadonlyArray<Question>): ReadonlyArray<Question> => {
  const names = new Set(catalogue.map(({ name }) => name))
  return questions.filter(({ needs }) => needs === undefined || names.has(needs))
}

/** Sends one question in one language to the configured model, and judges the reply. */
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

/** The number of concurrent questions. An answer waits more than it computes. */
const atOnce = 6

/** Evaluates all questions in some languages. Returns the verdicts in their order. */
export const evaluateAll = (questions: ReadonlyArray<Question>, asked: ReadonlyArray<Language> = languages) =>
  Effect.forEach(
    askable(questions).flatMap((question) => asked.map((lang) => ({ question, lang }))),
    ({ lang, question }) => evaluate(question, lang),
    { concurrency: atOnce }
  )

/** The share of passed questions, in percent. */
const rate = (verdicts: ReadonlyArray<Verdict>): number =>
  verdicts.length === 0 ? 100 : 100 * verdicts.filter(({ faults }) => faults.length === 0).length / verdicts.length

export const passRate = rate

/** A table of passed and asked questions, by intent and language. */
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
