import { Effect, Stream } from "effect"
import { quoted } from "../../engine/text/quoted.ts"
import type { Material } from "../context/material.ts"
import { briefOf, turnsOfMessages } from "../context/turns.ts"
import type { LanguageModel } from "../LanguageModel.ts"
import { suggestInstructions } from "../prompts/instructions.ts"
import { countAttempt } from "./measures.ts"

const most = 3
/** Of a question, and of what is no question, such as "Draw a chart of BTC". */
const longest = 120
const longestRequest = 60
/** A few more are forgiven; a text of many lines is none of questions. */
const mostLines = 6
const longestText = 2_000
/** Readers wait for the end of the log so long after the answer. */
const patience = "5 seconds"

/** A line without what lists and quotations put around it. */
const bare = (line: string): string =>
  quoted(line.replace(/^\s*(?:[-*•–]|\d{1,2}[.)])\s+/u, "").replaceAll("**", ""), longest + 1)
    .replace(/^["“”«„「『](.*)["“”»」』]$/u, "$1").trim()

/** A sentence's end within a line; "U.S. stocks" and "BTC vs. ETH" have none. */
const goesOn = /[\p{Ll}\p{Lo}]{3,}[.!]\s+[\p{Lu}\p{Lo}]/u

/** Prose ends its sentences, and markup begins with signs: neither does a short request. */
const isRequest = (line: string): boolean =>
  line.length <= longestRequest && !/[.。!！:：;,…|`]$/u.test(line) && !/^[#>|`{[<]/u.test(line)

const isQuestion = (line: string): boolean => line.length <= longest && /[?？]$/u.test(line)

/** The questions of a model's lines; none when a line is neither a question nor a short request. */
export const questionsOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n").map(bare).filter((line) => line.length > 3)
  // "Here are three questions:"
  const asked = lines[0]?.endsWith(":") === true && lines[0].length <= longest ? lines.slice(1) : lines
  if (asked.length > mostLines || !asked.every((line) => (isQuestion(line) || isRequest(line)) && !goesOn.test(line))) {
    return []
  }
  return [...new Set(asked)].slice(0, most)
}

/** What the user may ask next; nothing when the model does not say in time. */
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
