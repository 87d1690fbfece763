import type { Schema } from "effect"
import type { ChatMessage } from "../conversation.ts"
import type { Brief, ModelImage, ModelTurn } from "../LanguageModel.ts"
import { readArguments } from "../machine/asked.ts"
import type { DoneStep } from "../machine/steps.ts"
import { fenced } from "../prompts/instructions.ts"
import type { Material } from "./material.ts"
import { shortened, thinned } from "./thin.ts"
import { estimateTokens } from "./tokens.ts"

const noImages: ReadonlyArray<ModelImage> = []

const imageNote = (count: number): string => count === 0 ? "" : `\n[${count} image${count === 1 ? "" : "s"}, not shown]`

/** Converts a message to a model's turn. `images` are those that the model sees. */
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

/** Inserts a placeholder answer between two questions in a row, because models expect alternating turns. */
const alternating = (turns: ReadonlyArray<ModelTurn>): ReadonlyArray<ModelTurn> =>
  turns.flatMap((turn, i): ReadonlyArray<ModelTurn> =>
    turn._tag === "User" && turns[i - 1]?._tag === "User"
      ? [{ _tag: "Assistant", text: "[no answer was given]", calls: [] }, turn]
      : [turn]
  )

/** Converts messages to a model's turns. */
export const turnsOfMessages = (
  messages: ReadonlyArray<ChatMessage>,
  images: ReadonlyMap<number, ReadonlyArray<ModelImage>>
): ReadonlyArray<ModelTurn> =>
  alternating(messages.map((message) => turnOf(message, images.get(message.id) ?? noImages)))

/** Returns the JSON of `text`, cut to at most `tokens`. */
export const thinnedText = (text: string, tokens: number): string => {
  const value: Schema.Json = JSON.parse(text)
  return thinned(value, tokens)
}

/** Shortens a call's arguments, which may be invalid JSON, to about `tokens` at most. */
const thinnedArguments = (text: string, tokens: number): string => {
  if (estimateTokens(text) <= tokens) return text
  const args = readArguments(text)
  return args === undefined ? shortened(text, tokens) : thinned(args, tokens)
}

/**
 * Converts the steps of this answer to a model's turns. Each result is cut to `resultTokens`. Each text, and the
 * arguments of each call, are cut to `writtenTokens`. Empty steps are left out.
 */
export const turnsOfSteps = (
  done: ReadonlyArray<DoneStep>,
  resultTokens: number,
  writtenTokens: number
): ReadonlyArray<ModelTurn> =>
  done.flatMap(({ calls, results, text }): ReadonlyArray<ModelTurn> => {
    const said = shortened(text.trim(), writtenTokens)
    if (said === "" && calls.length === 0) return []
    const asked = calls.map((call) => ({ ...call, arguments: thinnedArguments(call.arguments, writtenTokens) }))
    return [
      { _tag: "Assistant", text: said, calls: asked },
      ...calls.flatMap(({ callId, name }): ReadonlyArray<ModelTurn> => {
        const result = results.get(callId)
        return result === undefined
          ? []
          : [{ _tag: "Result", callId, name, ok: result.ok, text: thinnedText(result.text, resultTokens) }]
      })
    ]
  })

/** The number of earlier questions in the brief. */
const remembered = 20

/** Returns the question as data, for models that read no prompt. */
export const briefOf = ({ accepted, brief, history, question }: Material): Brief => {
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
    images: question.images.length,
    accepted
  }
}
