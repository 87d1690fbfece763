import type { Schema } from "effect"
import type { ChatMessage } from "../conversation.ts"
import type { Brief, ModelImage, ModelTurn } from "../LanguageModel.ts"
import { parseArguments } from "../machine/requestedCall.ts"
import type { FinishedStep } from "../machine/steps.ts"
import { wrapData } from "../prompts/instructions.ts"
import type { Proposal } from "../proposal.ts"
import type { AnswerInputs } from "./answerInputs.ts"
import { shortenJson, shortenText } from "./shorten.ts"
import { estimateTokens } from "./tokens.ts"

const noImages: ReadonlyArray<ModelImage> = []

const formatImageNote = (count: number): string =>
  count === 0 ? "" : `\n[${count} image${count === 1 ? "" : "s"}, not shown]`

const maxNoteLength = 200

/** Describes the proposals of an answer and their states to the model. */
const formatProposalNotes = (proposals: ReadonlyArray<Proposal>): string =>
  proposals.map(({ state, summary }) => `\n[proposal, ${state}: ${shortenText(summary, maxNoteLength)}]`).join("")

/** Converts a message to a model's turn with the `images` that the model sees. */
const messageToTurn = (
  message: ChatMessage,
  images: ReadonlyArray<ModelImage>,
  proposals: ReadonlyArray<Proposal>
): ModelTurn => {
  const { content, outcome, role } = message
  switch (role) {
    case "user":
      return { _tag: "User", text: content + formatImageNote(message.images.length - images.length), images }
    case "task":
      return { _tag: "Assistant", text: `A background task reported: ${wrapData("report", content)}`, calls: [] }
    case "assistant": {
      const endNote = outcome === "cancelled" ? "\n[cut off by the user]" : outcome === "failed" ? "\n[broke off]" : ""
      return { _tag: "Assistant", text: content + endNote + formatProposalNotes(proposals), calls: [] }
    }
  }
}

/** Inserts a placeholder answer between two consecutive questions, because models expect alternating turns. */
const insertMissingAnswers = (turns: ReadonlyArray<ModelTurn>): ReadonlyArray<ModelTurn> =>
  turns.flatMap((turn, i): ReadonlyArray<ModelTurn> =>
    turn._tag === "User" && turns[i - 1]?._tag === "User"
      ? [{ _tag: "Assistant", text: "[no answer was given]", calls: [] }, turn]
      : [turn]
  )

export const messagesToTurns = (
  messages: ReadonlyArray<ChatMessage>,
  images: ReadonlyMap<number, ReadonlyArray<ModelImage>>,
  proposals: ReadonlyArray<Proposal> = []
): ReadonlyArray<ModelTurn> =>
  insertMissingAnswers(messages.map((message) =>
    messageToTurn(
      message,
      images.get(message.id) ?? noImages,
      proposals.filter((proposal) => proposal.message === message.id)
    )
  ))

export const shortenJsonText = (text: string, tokens: number): string => {
  const value: Schema.Json = JSON.parse(text)
  return shortenJson(value, tokens)
}

/** Shortens a call's arguments, which may be invalid JSON, to at most about `tokens` tokens. */
const shortenArguments = (text: string, tokens: number): string => {
  if (estimateTokens(text) <= tokens) return text
  const args = parseArguments(text)
  return args === undefined ? shortenText(text, tokens) : shortenJson(args, tokens)
}

interface StepLimits {
  readonly resultTokens: number
  readonly writtenTokens: number
  /** Whether the turns contain the data that the provider requires. The data is never shortened. */
  readonly hasState: boolean
}

/**
 * Converts the steps of an answer to a model's turns, shortening tool results, texts and arguments to the token limits.
 */
export const stepsToTurns = (
  finishedSteps: ReadonlyArray<FinishedStep>,
  { hasState, resultTokens, writtenTokens }: StepLimits
): ReadonlyArray<ModelTurn> =>
  finishedSteps.flatMap(({ calls, providerState, results, text }): ReadonlyArray<ModelTurn> => {
    const shortText = shortenText(text.trim(), writtenTokens)
    if (shortText === "" && calls.length === 0) return []
    const shortCalls = calls.map((call) => ({ ...call, arguments: shortenArguments(call.arguments, writtenTokens) }))
    return [
      {
        _tag: "Assistant",
        text: shortText,
        calls: shortCalls,
        ...(hasState && providerState !== undefined ? { providerState } : {})
      },
      ...calls.flatMap(({ callId, name }): ReadonlyArray<ModelTurn> => {
        const result = results.get(callId)
        return result === undefined
          ? []
          : [{ _tag: "Result", callId, name, ok: result.ok, text: shortenJsonText(result.text, resultTokens) }]
      })
    ]
  })

const maxEarlierQuestions = 20

export const toModelBrief = ({ accepted, brief, history, question }: AnswerInputs): Brief => {
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
    earlier: earlier.slice(-maxEarlierQuestions),
    images: question.images.length,
    accepted
  }
}
