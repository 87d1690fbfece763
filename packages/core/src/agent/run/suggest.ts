import { Effect, Stream } from "effect"
import { quoted } from "../../engine/text/quoted.ts"
import type { Material } from "../context/material.ts"
import { briefOf, turnsOfMessages } from "../context/turns.ts"
import type { LanguageModel } from "../LanguageModel.ts"
import { suggestInstructions } from "../prompts/instructions.ts"
import { countAttempt } from "./measures.ts"

const most = 3
/** The maximum length of a question. `longestRequest` applies to requests such as "Draw a chart of BTC". */
const longest = 120
const longestRequest = 60
/** A few extra lines are tolerated. A longer text is not a list of questions. */
const mostLines = 6
const longestText = 2_000
/** How long to wait for the model. Readers wait for the end of the log during this time. */
const patience = "5 seconds"

/** Removes list markers and quotation marks around a line. */
const bare = (line: string): string =>
  quoted(line.replace(/^\s*(?:[-*•–]|\d{1,2}[.)])\s+/u, "").replaceAll("**", ""), longest + 1)
    .replace(/^["“”«„「『](.*)["“”»」』]$/u, "$1").trim()

/** Matches the end of a sentence within a line, but not "U.S. stocks" or "BTC vs. ETH". */
const goesOn = /[\p{Ll}\p{Lo}]{3,}[.!]\s+[\p{Lu}\p{Lo}]/u

/**
 * Recognises a short request. Unlike prose, it does not end with a full stop, and unlike markup, it does not begin with
 * a sign.
 */
const isRequest = (line: string): boolean =>
  line.length <= longestRequest && !/[.。!！:：;,…|`]$/u.test(line) && !/^[#>|`{[<]/u.test(line)

const isQuestion = (line: string): boolean => line.length <= longest && /[?？]$/u.test(line)

/** Returns the questions in a model's output. Empty if any line is neither a question nor a short request. */
export const questionsOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n").map(bare).filter((line) => line.length > 3)
  // Skips a heading such as "Here are three questions:".
  const asked = lines[0]?.endsWith(":") === true && lines[0].length <= longest ? lines.slice(1) : lines
  if (asked.length > mostLines || !asked.every((line) => (isQuestion(line) || isRequest(line)) && !goesOn.test(line))) {
    return []
  }
  return [...new Set(asked)].slice(0, most)
}

/** Returns questions that the user may ask next. Empty if the model does not respond in time. */
export const suggest = (
  model: LanguageModel["Service"],
  material: Material,
  answer: string
): Effect.Effect<ReadonlyArray<string>> => {
  const { brief: { lang }, question } = material
  const request = {
    purpose: "suggest",
    instructions: suggestInstructions(lang),
    turns: [
      ...turnsOfMessages([question], new Map()),
      { _tag: "Assistant", text: answer, calls: [] },
      { _tag: "User", text: suggestInstructions(lang), images: [] }
    ],
    tools: [],
    brief: briefOf(material),
    step: 1,
    maxOutputTokens: 300
  } as const
  return Effect.andThen(
    countAttempt(model.name, "suggest"),
    Stream.runFold(
      model.stream(request),
      () => "",
      (text, part) => part._tag === "Text" && text.length < longestText ? text + part.text : text
    )
  ).pipe(
    Effect.map(questionsOf),
    Effect.timeout(patience),
    Effect.catchCause(() => Effect.succeed<ReadonlyArray<string>>([])),
    Effect.withSpan("agent.suggest")
  )
}
