import type { Schema } from "effect"
import type { ChatMessage } from "../conversation.ts"
import type { Brief, ModelImage, ModelTurn } from "../LanguageModel.ts"
import type { DoneStep } from "../machine/steps.ts"
import { fenced } from "../prompts/instructions.ts"
import type { Material } from "./material.ts"
import { thinned } from "./thin.ts"

const noImages: ReadonlyArray<ModelImage> = []

const imageNote = (count: number): string => count === 0 ? "" : `\n[${count} image${count === 1 ? "" : "s"}, not shown]`

/** A message as a model reads it; `images` are those that are shown. */
const turnOf = (message: ChatMessage, images: ReadonlyArray<ModelImage>): ModelTurn => {
  const { content, outcome, role } = message
  switch (role) {
    case "user":
      return { _tag: "User", text: content + imageNote(message.images.length - images.length), images }
    case "task":
      return { _tag: "Assistant", text: `A background task reported: ${fenced("report", content)}`, calls: [] }
    case "assistant": {
      const cut = outcome === "cancelled" ? "\n[cut off by the user]" : outcome === "failed" ? "\n[broke off]" : ""
      return { _tag: "Assistant", text: content + cut, calls: [] }
    }
  }
}

/** The same, as models want it: every question is answered by something. */
const alternating = (turns: ReadonlyArray<ModelTurn>): ReadonlyArray<ModelTurn> =>
  turns.flatMap((turn, i): ReadonlyArray<ModelTurn> =>
    turn._tag === "User" && turns[i - 1]?._tag === "User"
      ? [{ _tag: "Assistant", text: "[no answer was given]", calls: [] }, turn]
      : [turn]
  )

/** What was said, as a model reads it. */
export const turnsOfMessages = (
  messages: ReadonlyArray<ChatMessage>,
  images: ReadonlyMap<number, ReadonlyArray<ModelImage>>
): ReadonlyArray<ModelTurn> =>
  alternating(messages.map((message) => turnOf(message, images.get(message.id) ?? noImages)))

const thinnedText = (text: string, tokens: number): string => {
  const value: Schema.Json = JSON.parse(text)
  return thinned(value, tokens)
}

/** What the steps of this answer brought, as a model reads it; each result as at most `tokens`. */
export const turnsOfSteps = (done: ReadonlyArray<DoneStep>, tokens: number): ReadonlyArray<ModelTurn> =>
  done.flatMap(({ calls, results, text }): ReadonlyArray<ModelTurn> => [
    { _tag: "Assistant", text: text.trim(), calls },
    ...calls.flatMap(({ callId, name }): ReadonlyArray<ModelTurn> => {
      const result = results.get(callId)
      return result === undefined
        ? []
        : [{ _tag: "Result", callId, name, ok: result.ok, text: thinnedText(result.text, tokens) }]
    })
  ])

/** Earlier questions that programs are reminded of. */
const remembered = 20

/** The question without prose around it. */
export const briefOf = ({ brief, history, question }: Material): Brief => {
  const earlier = history.flatMap(({ content, role }, i) => {
    const next = history[i + 1]
    return role === "user" ? [{ question: content, answer: next?.role === "assistant" ? next.content : "" }] : []
  })
  return {
    lang: brief.lang,
    mode: brief.mode,
    question: question.content,
    coin: brief.coin,
    facts: brief.facts,
    earlier: earlier.slice(-remembered),
    images: question.images.length
  }
}
