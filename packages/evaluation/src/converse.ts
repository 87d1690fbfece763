import { Administration, type Principal, type Scope, ToolCaller } from "@tapeline/core"
import { Analyst, type Mode } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import { enrol } from "@tapeline/testing"
import { Effect, type Schema } from "effect"
import { Calls, type Made } from "./market.ts"
import type { Recorded } from "./question.ts"
import { valueAt } from "./valueAt.ts"

/** The reply to a message. */
export interface Reply {
  readonly text: string
  readonly made: ReadonlyArray<Made>
  readonly suggestions: ReadonlyArray<string>
  readonly outcome: string
}

export interface Asked {
  readonly lang: Language
  readonly messages: ReadonlyArray<string>
  readonly coin: string | null
  readonly facts: Readonly<Record<string, Schema.Json>>
  readonly journal: ReadonlyArray<Recorded>
  readonly scopes: ReadonlyArray<Scope>
  readonly mode?: Mode
}

/**
 * Records positions in an account's journal with a separate key, because the key of the question may lack the scope.
 */
const record = Effect.fnUntraced(function*(asker: Principal, journal: ReadonlyArray<Recorded>) {
  if (journal.length === 0) return
  const [{ call }, administration] = yield* Effect.all([ToolCaller, Administration])
  const scopes: ReadonlyArray<Scope> = ["write:personal"]
  const issued = yield* administration.issueKey({ account: asker.account, name: "journal", scopes })
  const principal: Principal = { ...asker, actor: { _tag: "Key", key: issued.record.id }, scopes }
  for (const { exit, ...position } of journal) {
    const set = yield* call({ name: "set_position", arguments: position, principal })
    const id = valueAt(set.envelope.data, "position.id")
    if (exit !== undefined) yield* call({ name: "close_position", arguments: { id, exit }, principal })
  }
})

/** Sends a conversation's messages one after another, on a new account. Returns the replies. */
export const converse = Effect.fnUntraced(function*(asked: Asked) {
  const analyst = yield* Analyst
  const calls = yield* Calls
  const { principal } = yield* enrol({ scopes: asked.scopes })
  yield* record(principal, asked.journal)
  const replies: Array<Reply> = []
  let conversation: number | null = null
  for (const [i, message] of asked.messages.entries()) {
    calls.set(principal.account, [])
    const last = i === asked.messages.length - 1
    const request: Record<string, unknown> = {
      message,
      lang: asked.lang,
      ...(conversation === null ? {} : { conversation_id: conversation }),
      ...(last && asked.coin !== null ? { coin: asked.coin } : {}),
      ...(last && Object.keys(asked.facts).length > 0 ? { seed_context: asked.facts } : {}),
      ...(conversation === null && asked.mode !== undefined ? { mode: asked.mode } : {})
    }
    const { answer } = yield* analyst.answer({ principal, request })
    conversation = answer.conversation_id
    replies.push({
      text: answer.answer,
      made: calls.get(principal.account) ?? [],
      suggestions: answer.suggestions,
      outcome: answer.outcome
    })
  }
  return replies
})
