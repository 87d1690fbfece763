import { Administration, type Principal, type Scope, ToolCaller } from "@tapeline/core"
import {
  Analyst,
  type Figure,
  type Generation,
  type Mode,
  type ShownProposal,
  type UnmatchedNumber
} from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, type Schema } from "effect"
import { Calls, type RecordedCall } from "./engine.ts"
import type { RecordedPosition } from "./question.ts"
import { valueAt } from "./valueAt.ts"

export interface Reply {
  readonly text: string
  readonly calls: ReadonlyArray<RecordedCall>
  /** The changes of records that the answer proposes. */
  readonly proposals: ReadonlyArray<ShownProposal>
  readonly suggestions: ReadonlyArray<string>
  readonly outcome: string
  /** The numbers that a tool result supports. */
  readonly figures: ReadonlyArray<Figure>
  /** The numbers that no tool result supports. */
  readonly unmatched: ReadonlyArray<UnmatchedNumber>
  readonly generation: Generation
}

export interface ConversationRequest {
  readonly lang: Language
  readonly messages: ReadonlyArray<string>
  readonly coin: string | null
  readonly facts: Readonly<Record<string, Schema.Json>>
  readonly journal: ReadonlyArray<RecordedPosition>
  readonly scopes: ReadonlyArray<Scope>
  readonly mode?: Mode
}

/**
 * Records positions in an account's journal with a separate API key, because the conversation's key may lack the scope.
 */
const recordPositions = Effect.fnUntraced(function*(owner: Principal, journal: ReadonlyArray<RecordedPosition>) {
  if (journal.length === 0) return
  const [{ call }, administration] = yield* Effect.all([ToolCaller, Administration])
  const scopes: ReadonlyArray<Scope> = ["write:personal"]
  const issued = yield* administration.issueKey({ account: owner.account, name: "journal", scopes })
  const principal: Principal = { ...owner, actor: { _tag: "Key", key: issued.record.id }, scopes }
  for (const { exit, ...position } of journal) {
    const set = yield* call({ name: "set_position", arguments: position, principal })
    const id = valueAt(set.envelope.data, "position.id")
    if (exit !== undefined) yield* call({ name: "close_position", arguments: { id, exit }, principal })
  }
})

export const converse = Effect.fnUntraced(function*(conversationRequest: ConversationRequest) {
  const analyst = yield* Analyst
  const calls = yield* Calls
  const { principal } = yield* createKeyedAccount({ scopes: conversationRequest.scopes })
  yield* recordPositions(principal, conversationRequest.journal)
  const replies: Array<Reply> = []
  let conversation: number | null = null
  for (const [i, message] of conversationRequest.messages.entries()) {
    calls.set(principal.account, [])
    const last = i === conversationRequest.messages.length - 1
    const answerRequest: Record<string, unknown> = {
      message,
      lang: conversationRequest.lang,
      ...(conversation === null ? {} : { conversation_id: conversation }),
      ...(last && conversationRequest.coin !== null ? { coin: conversationRequest.coin } : {}),
      ...(last && Object.keys(conversationRequest.facts).length > 0 ? { seed_context: conversationRequest.facts } : {}),
      ...(conversation === null && conversationRequest.mode !== undefined ? { mode: conversationRequest.mode } : {})
    }
    const { generation } = yield* analyst.start({ principal, request: answerRequest })
    const answer = yield* analyst.awaitAnswer(generation)
    conversation = answer.conversation_id
    replies.push({
      text: answer.answer,
      calls: calls.get(principal.account) ?? [],
      proposals: answer.proposals ?? [],
      suggestions: answer.suggestions,
      outcome: answer.outcome,
      figures: answer.figures ?? [],
      unmatched: answer.unmatched ?? [],
      generation
    })
  }
  return replies
})
