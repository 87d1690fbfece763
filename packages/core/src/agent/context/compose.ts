import type { Schema } from "effect"
import type { ChatMessage } from "../conversation.ts"
import type { ModelRequest, ModelTurn } from "../LanguageModel.ts"
import type { DoneStep } from "../machine/steps.ts"
import { answerInstructions } from "../prompts/instructions.ts"
import type { Material } from "./material.ts"
import { offered } from "./offered.ts"
import { shortened, thinned } from "./thin.ts"
import { estimateTokens, imageTokens } from "./tokens.ts"
import { briefOf, thinnedText, turnsOfMessages, turnsOfSteps } from "./turns.ts"

/** The token limits of a request. */
export interface ContextBudget {
  /** The limit of the whole input, estimated. */
  readonly tokens: number
  /** The limit of one tool's result. */
  readonly resultTokens: number
  readonly outputTokens: number
}

/** Estimates the tokens of a turn. */
const turnTokens = (turn: ModelTurn): number => {
  switch (turn._tag) {
    case "User":
      return 4 + estimateTokens(turn.text) + turn.images.length * imageTokens
    case "Assistant":
      return 4 + estimateTokens(turn.text) + estimateTokens(JSON.stringify(turn.calls))
    case "Result":
      return 4 + estimateTokens(turn.text)
  }
}

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const number of numbers) total += number
  return total
}

/** Estimates the tokens of a request, before the model has reported any. */
export const requestTokens = ({ instructions, tools, turns }: ModelRequest): number =>
  estimateTokens(instructions) + sum(turns.map(turnTokens)) +
  (tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)))

/**
 * Splits `history` at a budget of `tokens`. `newer` has as many of the newest messages as fit; `older` has the rest.
 */
export const splitHistory = (
  history: ReadonlyArray<ChatMessage>,
  tokens: number
): { readonly older: ReadonlyArray<ChatMessage>; readonly newer: ReadonlyArray<ChatMessage> } => {
  let left = tokens
  let from = history.length
  while (from > 0) {
    left -= 4 + estimateTokens(history[from - 1]!.content) + history[from - 1]!.images.length * imageTokens
    if (left < 0) break
    from -= 1
  }
  return { older: history.slice(0, from), newer: history.slice(from) }
}

/** The inputs of `compose`. */
export interface Composition {
  readonly material: Material
  readonly done: ReadonlyArray<DoneStep>
  readonly step: number
  readonly last: boolean
  readonly budget: ContextBudget
}

const leastTokens = 40

/** The maximum share of a request that tools may use. A model with a small context gets only some of the tools. */
const toolsShare = 0.6
/** The number of earlier questions that influence the choice of tools. */
const rememberedQuestions = 3

/**
 * Levels of shortening, from mild to harsh. `results` is the factor of the budget for tool results and facts.
 * `question` limits the question and the summary, as a share of the whole budget; `written` limits the text of this
 * answer's steps. Within each level, the oldest messages are dropped first.
 */
const squeezes = [
  { results: 1, written: null, question: 1 },
  { results: 0.4, written: 0.4, question: 0.6 },
  { results: 0.1, written: 0.1, question: 0.4 },
  { results: 0.03, written: 0.03, question: 0.2 }
] as const

/** Counts the texts and calls of steps. */
const itemsOf = (done: ReadonlyArray<DoneStep>): number => sum(done.map(({ calls }) => calls.length + 1))

/**
 * Builds the request for the next step of an answer, within the budget. The question and the steps of this answer are
 * always included, and as many earlier messages as fit, newest first.
 */
export const compose = ({ budget, done, last, material, step }: Composition): ModelRequest => {
  const { accepted, brief, carried, history, images, now, question, summary } = material
  const tools = last ? [] : offered({
    tools: material.tools,
    question: question.content,
    before: history.flatMap(({ content, role }) => role === "user" ? [content] : []).slice(-rememberedQuestions).join(
      " "
    ),
    spokenOf: new Set([
      ...accepted.map(({ tool }) => tool),
      ...done.flatMap(({ calls }) => calls.map(({ name }) => name))
    ]),
    tokens: Math.floor(budget.tokens * toolsShare)
  })
  const facts: Schema.Json | null = Object.keys(brief.facts).length === 0 ? null : brief.facts
  const at = (squeeze: (typeof squeezes)[number]): ModelRequest => {
    const resultTokens = Math.max(leastTokens, Math.floor(budget.resultTokens * squeeze.results))
    const writtenTokens = squeeze.written === null
      ? Infinity
      : Math.max(leastTokens, Math.floor(budget.tokens * squeeze.written / 2 / Math.max(1, itemsOf(done))))
    const instructions = answerInstructions({
      ...brief,
      facts: facts === null ? null : JSON.parse(thinned(facts, Math.floor(budget.tokens * squeeze.results / 2))),
      summary: summary === null ? null : shortened(summary, Math.floor(budget.tokens * squeeze.question / 4)),
      written: carried.flatMap(({ name, wrote }): ReadonlyArray<Schema.Json> =>
        wrote === undefined ? [] : [{ tool: name, result: thinnedText(wrote, resultTokens) }]
      ),
      accepted: accepted.map(({ arguments: args, tool }) => ({ tool, arguments: args })),
      now,
      last
    })
    const ask = (turns: ReadonlyArray<ModelTurn>): ModelRequest => ({
      purpose: "answer",
      instructions,
      turns,
      tools,
      brief: briefOf(material),
      step,
      maxOutputTokens: budget.outputTokens
    })
    const steps = turnsOfSteps(done, resultTokens, writtenTokens)
    const asked = { ...question, content: shortened(question.content, Math.floor(budget.tokens * squeeze.question)) }
    const said = (messages: ReadonlyArray<ChatMessage>) => turnsOfMessages([...messages, asked], images)
    const { newer } = splitHistory(history, budget.tokens - requestTokens(ask([...said([]), ...steps])))
    return ask([...said(newer), ...steps])
  }
  const [mild, ...harsher] = squeezes
  let request = at(mild)
  for (const squeeze of harsher) {
    if (requestTokens(request) <= budget.tokens) break
    request = at(squeeze)
  }
  return request
}
