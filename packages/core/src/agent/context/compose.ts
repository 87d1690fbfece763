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

/** How much a request may hold. */
export interface ContextBudget {
  /** Of everything that the model reads, estimated. */
  readonly tokens: number
  /** Of one tool's result. */
  readonly resultTokens: number
  readonly outputTokens: number
}

/** What a turn is taken to be read as. */
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

/** What a request is taken to be read as, before any model has said what it is. */
export const requestTokens = ({ instructions, tools, turns }: ModelRequest): number =>
  estimateTokens(instructions) + sum(turns.map(turnTokens)) +
  (tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)))

/** Which of `history` is told in full, within `tokens`: the newest, as many as fit; the rest is `older`. */
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

/** What a request is made of, and how. */
export interface Composition {
  readonly material: Material
  readonly done: ReadonlyArray<DoneStep>
  readonly step: number
  readonly last: boolean
  readonly budget: ContextBudget
}

const leastTokens = 40

/** The most of a request that its tools may take: a model with a small context is shown some of them. */
const toolsShare = 0.6
/** Questions before this one that tell what tools are wanted. */
const rememberedQuestions = 3

/**
 * Ever less of what is dear. `results`: of what tools gave; then what was said before goes, and at last the facts, what
 * was written in this answer, and the question itself, as a part of the budget each.
 */
const squeezes = [
  { results: 1, written: null, question: 1 },
  { results: 0.4, written: 0.4, question: 0.6 },
  { results: 0.1, written: 0.1, question: 0.4 },
  { results: 0.03, written: 0.03, question: 0.2 }
] as const

/** How many texts and calls steps hold. */
const itemsOf = (done: ReadonlyArray<DoneStep>): number => sum(done.map(({ calls }) => calls.length + 1))

/**
 * The request for the next step of an answer, as much of it as the budget lets in: the question and the steps of this
 * answer always, what was said before from the newest on.
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
