import type { Schema } from "effect"
import type { ChatMessage } from "../conversation.ts"
import type { ModelRequest, ModelTurn } from "../LanguageModel.ts"
import type { FinishedStep } from "../machine/steps.ts"
import { answerInstructions, makeAnswerContext } from "../prompts/instructions.ts"
import type { AnswerInputs } from "./answerInputs.ts"
import { selectTools } from "./selectTools.ts"
import { shortenJson, shortenText } from "./shorten.ts"
import { estimateTokens, imageTokens } from "./tokens.ts"
import { messagesToTurns, shortenJsonText, stepsToTurns, toModelBrief } from "./turns.ts"

export interface ContextBudget {
  /** The estimated token limit of the model's whole input. */
  readonly tokens: number
  readonly resultTokens: number
  readonly outputTokens: number
}

const estimateTurnTokens = (turn: ModelTurn): number => {
  switch (turn._tag) {
    case "User":
      return 4 + estimateTokens(turn.text) + turn.images.length * imageTokens
    case "Assistant":
      return 4 + estimateTokens(turn.text) + estimateTokens(JSON.stringify(turn.calls)) +
        estimateTokens(turn.providerState ?? "")
    case "Result":
      return 4 + estimateTokens(turn.text)
  }
}

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const number of numbers) total += number
  return total
}

/** Estimates the tokens of a request, before the model has reported its token usage. */
export const estimateRequestTokens = ({ context, instructions, tools, turns }: ModelRequest): number =>
  estimateTokens(instructions) + estimateTokens(context) + sum(turns.map(estimateTurnTokens)) +
  (tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)))

/**
 * Splits a conversation's history: `newer` contains the newest messages that fit into `tokens`, and `older` contains
 * the other messages.
 */
export const splitHistory = (
  history: ReadonlyArray<ChatMessage>,
  tokens: number
): { readonly older: ReadonlyArray<ChatMessage>; readonly newer: ReadonlyArray<ChatMessage> } => {
  let remainingTokens = tokens
  let from = history.length
  while (from > 0) {
    remainingTokens -= 4 + estimateTokens(history[from - 1]!.content) + history[from - 1]!.images.length * imageTokens
    if (remainingTokens < 0) break
    from -= 1
  }
  return { older: history.slice(0, from), newer: history.slice(from) }
}

export interface ComposeOptions {
  readonly inputs: AnswerInputs
  readonly finishedSteps: ReadonlyArray<FinishedStep>
  readonly step: number
  readonly isLastStep: boolean
  readonly budget: ContextBudget
}

const minTokens = 40

/** The maximum share of a request's tokens that tool definitions may use. */
const maxToolsShare = 0.6
const maxEarlierQuestions = 3

/**
 * Levels of shortening a request, from mild to harsh. A harsher level applies only if the request is too long without
 * any earlier message.
 *
 * - `results` multiplies the token limits of tool results and of the caller's facts.
 * - `question` is the share of the token budget that the question may use. The summary may use a quarter of the
 *   question's share.
 * - `written` scales the token limit of text that the model wrote in earlier steps; null means no limit.
 * - `hasState` is false if the request omits the data of the provider in earlier steps. Some providers then reject it.
 */
const compressionLevels = [
  { results: 1, written: null, question: 1, hasState: true },
  { results: 0.4, written: 0.4, question: 0.6, hasState: true },
  { results: 0.1, written: 0.1, question: 0.4, hasState: true },
  { results: 0.03, written: 0.03, question: 0.2, hasState: false }
] as const

const countItems = (finishedSteps: ReadonlyArray<FinishedStep>): number =>
  sum(finishedSteps.map(({ calls }) => calls.length + 1))

/** Builds the request for the next step of an answer, with as many earlier messages as fit in the token budget. */
export const composeRequest = ({ budget, finishedSteps, isLastStep, inputs, step }: ComposeOptions): ModelRequest => {
  const { accepted, brief, history, images, now, proposals, question, summary } = inputs
  const { replacedProposals, replacedWrites } = inputs
  const tools = isLastStep ? [] : selectTools({
    tools: inputs.tools,
    question: question.content,
    earlierQuestions: history.flatMap(({ content, role }) => role === "user" ? [content] : []).slice(
      -maxEarlierQuestions
    ).join(
      " "
    ),
    mentionedTools: new Set(finishedSteps.flatMap(({ calls }) => calls.map(({ name }) => name))),
    maxTokens: Math.floor(budget.tokens * maxToolsShare)
  })
  const facts: Schema.Json | null = Object.keys(brief.facts).length === 0 ? null : brief.facts
  const requestAtLevel = (level: (typeof compressionLevels)[number]): ModelRequest => {
    const resultTokens = Math.max(minTokens, Math.floor(budget.resultTokens * level.results))
    const writtenTokens = level.written === null
      ? Infinity
      : Math.max(minTokens, Math.floor(budget.tokens * level.written / 2 / Math.max(1, countItems(finishedSteps))))
    const context = makeAnswerContext({
      ...brief,
      facts: facts === null ? null : JSON.parse(shortenJson(facts, Math.floor(budget.tokens * level.results / 2))),
      summary: summary === null ? null : shortenText(summary, Math.floor(budget.tokens * level.question / 4)),
      written: [
        ...replacedWrites.flatMap(({ name, wrote }): ReadonlyArray<Schema.Json> =>
          wrote === undefined ? [] : [{ tool: name, result: shortenJsonText(wrote, resultTokens) }]
        ),
        ...replacedProposals.map(({ arguments: args, tool }): Schema.Json => ({ tool, arguments: args }))
      ],
      accepted,
      mayWrite: brief.writes === "allow",
      now,
      isLastStep
    })
    const requestWithTurns = (turns: ReadonlyArray<ModelTurn>): ModelRequest => ({
      purpose: "answer",
      instructions: answerInstructions,
      context,
      turns,
      tools,
      brief: toModelBrief(inputs),
      step,
      maxOutputTokens: budget.outputTokens
    })
    const steps = stepsToTurns(finishedSteps, { resultTokens, writtenTokens, hasState: level.hasState })
    const shortenedQuestion = {
      ...question,
      content: shortenText(question.content, Math.floor(budget.tokens * level.question))
    }
    const toConversationTurns = (messages: ReadonlyArray<ChatMessage>) =>
      messagesToTurns([...messages, shortenedQuestion], images, proposals)
    const { newer } = splitHistory(
      history,
      budget.tokens - estimateRequestTokens(requestWithTurns([...toConversationTurns([]), ...steps]))
    )
    return requestWithTurns([...toConversationTurns(newer), ...steps])
  }
  const [mild, ...harsher] = compressionLevels
  let request = requestAtLevel(mild)
  for (const level of harsher) {
    if (estimateRequestTokens(request) <= budget.tokens) break
    request = requestAtLevel(level)
  }
  return request
}
