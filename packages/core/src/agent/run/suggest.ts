import { Effect, Stream } from "effect"
import { quoted } from "../../text/quoted.ts"
import type { Material } from "../context/material.ts"
import { briefOf, turnsOfMessages } from "../context/turns.ts"
import type { LanguageModel } from "../LanguageModel.ts"
import { suggestInstructions } from "../prompts/instructions.ts"
import { countAttempt } from "./measures.ts"

const most = 3
const longest = 200
const longestText = 2_000
/** Readers wait for the end of the log so long after the answer. */
const patience = "5 seconds"

/** The questions of a model's lines, without what lists put before them. */
export const questionsOf = (text: string): ReadonlyArray<string> =>
  [
    ...new Set(
      text.split("\n")
        .map((line) => quoted(line.replace(/^\s*(?:[-*•–]|\d{1,2}[.)])\s+/u, "").replaceAll("**", ""), longest))
        .filter((line) => line.length > 3)
    )
  ].slice(0, most)

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
