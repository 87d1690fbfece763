import { coinQuestions } from "./coinQuestions.ts"
import { optionQuestions } from "./optionQuestions.ts"
import type { Question } from "./question.ts"
import { stockQuestions } from "./stockQuestions.ts"

/** All questions, in descending order of frequency. */
export const questions: ReadonlyArray<Question> = [
  coinQuestions[0]!,
  stockQuestions[0]!,
  ...coinQuestions.slice(1),
  ...optionQuestions,
  ...stockQuestions.slice(1)
]
