import { checkAnswer, type CheckedFigures, decodeSteps, GenerationStore } from "@tapeline/core/agent"
import { Effect } from "effect"
import type { Verdict } from "../src/evaluate.ts"

/** Returns the value at a JSON pointer, or undefined. */
export const resolvePointer = (data: unknown, pointer: string): unknown =>
  pointer.split("/").slice(1).reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).find(([name]) => name === key.replaceAll("~1", "/").replaceAll("~0", "~"))?.[1]
        : undefined,
    data
  )

/** Loads the results of an answer from its stored steps, and returns the check of the answer's text. */
export const loadChecker = Effect.fnUntraced(function*({ lang, question, reply: { generation } }: Verdict) {
  const finishedSteps = decodeSteps(yield* (yield* GenerationStore).listSteps(generation.id))
  const results = finishedSteps.flatMap(({ results }) =>
    [...results].map(([call, { text }]): readonly [string, unknown] => [call, JSON.parse(text)])
  )
  return {
    sources: new Map([...results, ["seed_context", generation.brief.facts]]),
    check: (text: string): CheckedFigures =>
      checkAnswer({
        generation,
        shownOutput: { text },
        finishedSteps,
        replacedWrites: [],
        accepted: null,
        userTexts: question.messages[lang].toReversed()
      })
  }
})
