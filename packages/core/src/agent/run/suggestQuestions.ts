import { Effect, Stream } from "effect"
import { quoteText } from "../../engine/text/formatting.ts"
import type { AnswerInputs } from "../context/answerInputs.ts"
import { messagesToTurns, toModelBrief } from "../context/turns.ts"
import type { LanguageModel } from "../LanguageModel.ts"
import { makeSuggestInstructions } from "../prompts/instructions.ts"
import { isConfirmation } from "../service/confirmation.ts"
import { countAttempt } from "./metrics.ts"

const maxQuestions = 3
/** The maximum length of a suggested question, in characters. */
const maxQuestionLength = 120
const maxRequestLength = 60
/**
 * The maximum number of lines in the model's output. Output with more than `maxLines` lines is not a list of questions.
 */
const maxLines = 6
const maxTextLength = 2_000
/** The maximum number of tokens of the model's output, including the reasoning of a model that reasons by default. */
const maxOutputTokens = 1_000
/** The maximum time to wait for suggested questions. While the analyst waits, readers of the answer wait too. */
const timeout = "5 seconds"

const removeMarkers = (line: string): string =>
  quoteText(line.replace(/^\s*(?:[-*•–]|\d{1,2}[.)])\s+/u, "").replaceAll("**", ""), maxQuestionLength + 1)
    .replace(/^["“”«„「『](.*)["“”»」』]$/u, "$1").trim()

/** Matches a sentence that ends within a line. Abbreviations such as "vs." and "U.S." are no sentence ends. */
const sentenceEndWithin = /[\p{Ll}\p{Lo}]{3,}[.!]\s+[\p{Lu}\p{Lo}]/u

/** Returns whether a line is short, ends without punctuation, and begins without markup. */
const isRequest = (line: string): boolean =>
  line.length <= maxRequestLength && !/[.。!！:：;,…|`]$/u.test(line) && !/^[#>|`{[<]/u.test(line)

const isQuestion = (line: string): boolean => line.length <= maxQuestionLength && /[?？]$/u.test(line)

/**
 * Returns the questions in a model's output, or an empty list if any line is neither a question nor a short request.
 */
export const parseQuestions = (text: string): ReadonlyArray<string> => {
  // A suggestion must not be a message that accepts a proposal, because the model chooses its words.
  const lines = text.split("\n").map(removeMarkers).filter((line) => line.length > 3 && !isConfirmation(line))
  // A heading such as "Here are three questions:" is skipped.
  const questionLines = lines[0]?.endsWith(":") === true && lines[0].length <= maxQuestionLength
    ? lines.slice(1)
    : lines
  if (
    questionLines.length > maxLines ||
    !questionLines.every((line) => (isQuestion(line) || isRequest(line)) && !sentenceEndWithin.test(line))
  ) {
    return []
  }
  return [...new Set(questionLines)].slice(0, maxQuestions)
}

/** Returns questions that the user may ask next, or an empty list if the model fails or does not respond in time. */
export const suggestQuestions = (
  model: LanguageModel["Service"],
  inputs: AnswerInputs,
  answer: string
): Effect.Effect<ReadonlyArray<string>> => {
  const { brief: { lang }, question } = inputs
  const request = {
    purpose: "suggest",
    instructions: makeSuggestInstructions(lang),
    context: "",
    turns: [
      ...messagesToTurns([question], new Map()),
      { _tag: "Assistant", text: answer, calls: [] },
      { _tag: "User", text: makeSuggestInstructions(lang), images: [] }
    ],
    tools: [],
    brief: toModelBrief(inputs),
    step: 1,
    maxOutputTokens
  } as const
  return Effect.andThen(
    countAttempt(model.name, "suggest"),
    Stream.runFold(
      model.stream(request),
      () => "",
      (text, part) => part._tag === "Text" && text.length < maxTextLength ? text + part.text : text
    )
  ).pipe(
    Effect.map(parseQuestions),
    Effect.timeout(timeout),
    Effect.catchCause(() => Effect.succeed<ReadonlyArray<string>>([])),
    Effect.withSpan("agent.suggest")
  )
}
