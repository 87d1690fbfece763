import type { ToolNote } from "../conversation.ts"
import type { Generation } from "../generation.ts"
import type { AcceptedCall } from "../LanguageModel.ts"
import type { FinishedStep } from "../machine/steps.ts"
import { type CheckedFigures, factsCall } from "./figure.ts"
import { matchFigures } from "./matchFigures.ts"
import type { Source } from "./sources.ts"

interface AnswerToCheck {
  readonly generation: Pick<Generation, "brief">
  readonly shownOutput: { readonly text: string }
  readonly finishedSteps: ReadonlyArray<FinishedStep>
  readonly replacedWrites: ReadonlyArray<ToolNote>
  readonly accepted: AcceptedCall | null
  readonly userTexts: ReadonlyArray<string>
}

/**
 * Checks the numbers of a finished answer against the results of its tool calls and the caller's facts. The answer may
 * also repeat numbers of the user's questions, of the calls' arguments, of the writes of a replaced answer, and of the
 * proposal that the question accepted.
 */
export const checkAnswer = (
  { accepted, finishedSteps, generation: { brief }, replacedWrites, shownOutput, userTexts }: AnswerToCheck
): CheckedFigures => {
  const results = finishedSteps.flatMap(({ calls, results }) =>
    calls.flatMap(({ callId }): ReadonlyArray<Source> => {
      const result = results.get(callId)
      // Each result is JSON, because `shortenJson` or `makeFailedResult` wrote it.
      return result === undefined ? [] : [{ call: callId, data: JSON.parse(result.text) }]
    })
  )
  return matchFigures({
    text: shownOutput.text,
    lang: brief.lang,
    sources: Object.keys(brief.facts).length === 0 ? results : [...results, { call: factsCall, data: brief.facts }],
    knownTexts: [
      ...userTexts,
      ...finishedSteps.flatMap(({ calls }) => calls.map(({ arguments: args }) => args)),
      ...replacedWrites.flatMap(({ wrote }) => wrote ?? []),
      ...(accepted === null ? [] : [JSON.stringify(accepted)])
    ]
  })
}
