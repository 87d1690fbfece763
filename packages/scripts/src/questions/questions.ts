import { aboutCoins } from "./aboutCoins.ts"
import { aboutOptions } from "./aboutOptions.ts"
import { aboutStocks } from "./aboutStocks.ts"
import type { Question } from "./question.ts"

/** All questions, the most frequent ones first. */
export const questions: ReadonlyArray<Question> = [
  aboutCoins[0]!,
  aboutStocks[0]!,
  ...aboutCoins.slice(1),
  ...aboutOptions,
  ...aboutStocks.slice(1)
]
