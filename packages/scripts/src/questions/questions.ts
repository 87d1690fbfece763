import { coinQuestions } from "./coinQuestions.ts"
import { optionQuestions } from "./optionQuestions.ts"
import type { Question } from "./question.ts"
import { stockQuestions } from "./stockQuestions.ts"

/** All example questions of traders, the most frequent question first. */
export const questions: ReadonlyArray<Question> = [
  coinQuestions[0]!,
  stockQuestions[0]!,
  ...coinQuestions.slice(1),
  ...optionQuestions,
  ...stockQuestions.slice(1)
]
