import type {
  ChatMessage,
  End,
  Fence,
  Generation,
  GenerationEvent,
  Place,
  Start,
  StartRequest,
  StoredStep
} from "@tapeline/core/agent"
import type { Busy, Ending } from "@tapeline/core/engine"
import {
  addMessage,
  addScope,
  type AgentTables,
  conversationOf,
  type ConversationRow,
  dropLog,
  type GenerationRow,
  messagesOf,
  runningIn,
  throughJson
} from "./agentTables.ts"
import { endOne, renewOne } from "./MemoryLedgerStore.ts"
import { type MemoryState, monthId, usageId, usagePlace } from "./MemoryState.ts"

/* Changes of generations. Each is one synchronous step, and changes nothing if it throws. */

type State = MemoryState["Service"]

const logged = (from: number, events: ReadonlyArray<GenerationEvent>) =>
  events.map(({ data, kind }, i) => ({ n: from + i, kind, data: JSON.stringify(data) }))

const change = (row: GenerationRow, by: Partial<Generation>): void => {
  row.generation = { ...row.generation, ...by }
}

const append = (row: GenerationRow, events: ReadonlyArray<GenerationEvent>): void => {
  row.events.push(...logged(row.generation.nextN, events))
  change(row, { nextN: row.generation.nextN + events.length })
}

/**
 * Returns the conversation, and the question and answer of a repeated answer. Returns the rejection if the generation
 * cannot start.
 */
const placed = (
  tables: AgentTables,
  { account, readable }: StartRequest,
  place: Exclude<Place, { readonly _tag: "New" }>
): { readonly row: ConversationRow; readonly again: { question: number; replaces: number | null } | null } | Start => {
  const row = conversationOf(tables, account, place.conversation)
  if (row === null || !row.scopes.every((scope) => readable.includes(scope))) return { _tag: "NoConversation" }
  const running = runningIn(tables, row.id)
  if (running !== null) return { _tag: "Busy", generation: running.id }
  if (place.mode !== null && place.mode !== row.mode) return { _tag: "OtherMode", mode: row.mode }
  if (place._tag === "Existing") return { row, again: null }
  const said = messagesOf(tables, row.id).map(({ message }) => message)
  const question = said.findLast(({ role }) => role === "user")
  if (question === undefined) return { _tag: "NoQuestion" }
  const answer = said.findLast(({ id, role }) => role === "assistant" && id > question.id)
  return { row, again: { question: question.id, replaces: answer?.id ?? null } }
}

const opened = (tables: AgentTables, { account, brief }: StartRequest, place: Place & { _tag: "New" }, now: number) => {
  const row: ConversationRow = {
    id: ++tables.sequences.conversation,
    account,
    title: place.title,
    mode: place.mode,
    lang: brief.lang,
    createdAt: now,
    updatedAt: now,
    summary: null,
    scopes: []
  }
  tables.conversations.set(row.id, row)
  return { row, again: null }
}

export const start = (state: State, request: StartRequest, now: number): Start => {
  const tables = state.agent
  const { account, brief, leaseMs, place, question, reservation, uses } = request
  const before = [...tables.generations.values()].find(({ generation }) =>
    generation.account === account && generation.reservation.origin === reservation.origin &&
    (generation.state === "running" || generation.outcome === "finished")
  )
  if (before !== undefined) return { _tag: "Attached", generation: structuredClone(before.generation) }
  if ((place._tag === "Again") !== (question === null)) throw new Error("A question is asked where none is asked again")
  const open = place._tag === "New" ? () => opened(tables, request, place, now) : placed(tables, request, place)
  if (typeof open !== "function" && "_tag" in open) return open
  if (!renewOne(state, reservation, leaseMs, now)) return { _tag: "Lapsed" }
  const found = typeof open === "function" ? open() : open
  const { again, row: conversation } = found
  for (const scope of uses) addScope(conversation, scope)
  const asked = again?.question ?? addMessage(tables, conversation, question!, now).id
  const generation: Generation = {
    id: ++tables.sequences.generation,
    account,
    conversation: conversation.id,
    question: asked,
    brief: throughJson({ ...brief, mode: conversation.mode, replaces: again?.replaces ?? null }),
    reservation: { ...reservation },
    state: "running",
    epoch: 0,
    nextN: 1,
    startedAt: now,
    renewedAt: now,
    endedAt: null,
    outcome: null,
    answer: null
  }
  const row = {
    generation,
    idempotencyKey: request.idempotencyKey,
    consumed: null,
    logged: true,
    steps: [],
    events: []
  }
  const data = { conversation_id: conversation.id, lang: brief.lang, mode: conversation.mode }
  append(row, [{ kind: "conversation", data }])
  tables.generations.set(generation.id, row)
  return { _tag: "Started", generation: structuredClone(row.generation) }
}

export const take = (
  tables: AgentTables,
  id: number,
  { epochs, now, staleMs }: { readonly epochs: number; readonly now: number; readonly staleMs: number }
): Generation | null => {
  const row = tables.generations.get(id)
  if (row === undefined || row.generation.state !== "running") return null
  const { epoch, renewedAt } = row.generation
  if (epoch > 0 && renewedAt > now - staleMs) return null
  change(row, { epoch: epoch + epochs, renewedAt: Math.max(renewedAt, now) })
  return structuredClone(row.generation)
}

const held = (tables: AgentTables, { epoch, generation, nextN }: Fence): GenerationRow | null => {
  const row = tables.generations.get(generation)
  return row?.generation.state === "running" && row.generation.epoch === epoch &&
      (nextN === undefined || nextN === row.generation.nextN)
    ? row
    : null
}

/** Writes steps and events under a fence. Returns false, without changes, if the fence is no longer valid. */
export const write = (
  tables: AgentTables,
  fence: Fence,
  steps: ReadonlyArray<StoredStep>,
  events: ReadonlyArray<GenerationEvent>,
  now: number
): boolean => {
  const row = held(tables, fence)
  if (row === null) return false
  const names = [...row.steps, ...steps].map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new Error(`The step ${twice} of generation ${fence.generation} is stored already`)
  row.steps.push(...throughJson(steps))
  append(row, events)
  change(row, { renewedAt: Math.max(row.generation.renewedAt, now) })
  return true
}

/** Returns a function that undoes the ledger's end, as a transaction does. */
const remembering = (state: State, { account, entry, month }: Generation["reservation"]) => {
  const row = state.entries.get(entry)
  const rows = [
    [state.months, monthId(account, month)],
    [state.entries, entry],
    [state.usage, row === undefined ? undefined : usageId(usagePlace(row))],
    [state.idempotency, `${account}/${row?.idempotencyKey}`]
  ] as ReadonlyArray<[Map<unknown, object>, unknown]> // maps of rows, each by its own key
  const copies = rows.map(([map, at]) => structuredClone(map.get(at)))
  return () =>
    rows.forEach(([map, at], i) => {
      const [copy, row] = [copies[i], map.get(at)]
      if (copy === undefined) map.delete(at)
      else if (row !== undefined) map.set(at, Object.assign(row, copy))
    })
}

const keepAnswer = (tables: AgentTables, { brief, conversation }: Generation, end: End, now: number) => {
  const row = tables.conversations.get(conversation)
  if (end.answer === null || row === undefined) return null
  // If the outcome is not `finished`, the answer that was to be replaced stays.
  if (brief.replaces !== null && end.outcome !== "finished") return null
  const replaced = brief.replaces === null ? undefined : tables.messages.get(brief.replaces)
  if (replaced !== undefined) replaced.replaced = true
  row.lang = end.answer.lang
  return addMessage(tables, row, end.answer, now)
}

/** Ends a running generation with its reservation. Returns `Busy`, without changes, if the month is locked. */
export const end = (state: State, row: GenerationRow, end: End, now: number): ChatMessage | null | Busy => {
  const undo = remembering(state, row.generation.reservation)
  const request = { reservation: row.generation.reservation, outcome: end.settlement }
  const ending: Ending | Busy = endOne(state, request, now)
  if (ending._tag === "Busy") return ending
  let events: ReadonlyArray<GenerationEvent>
  try {
    events = end.events(ending)
  } catch (cause) {
    undo()
    throw cause
  }
  const answer = keepAnswer(state.agent, row.generation, end, now)
  append(row, events)
  row.consumed = { ...end.consumed }
  change(row, {
    state: end.open ? "ended" : "closed",
    endedAt: Math.max(now, row.generation.startedAt),
    outcome: end.outcome,
    answer: answer?.id ?? null
  })
  return answer
}

/** Ends a generation under its fence. If `held` is false, nothing was changed. */
export const endHeld = (
  state: State,
  fence: Fence,
  how: End,
  now: number
): { readonly held: boolean; readonly answer: ChatMessage | null } | Busy => {
  const row = held(state.agent, fence)
  if (row === null) return { held: false, answer: null }
  const answer = end(state, row, how, now)
  return answer !== null && "_tag" in answer ? answer : { held: true, answer }
}

export const endAnyway = (
  state: State,
  id: number,
  how: (transcript: { generation: Generation; steps: Array<StoredStep>; events: Array<GenerationEvent> }) => End,
  now: number
): Generation | null | Busy => {
  const row = state.agent.generations.get(id)
  if (row?.generation.state !== "running") return null
  const events = row.events.map(({ data, kind }) => ({ kind, data: JSON.parse(data) }))
  const ended = end(state, row, how(structuredClone({ generation: row.generation, steps: row.steps, events })), now)
  if (ended !== null && "_tag" in ended) return ended
  change(row, { epoch: row.generation.epoch + 1 })
  return structuredClone(row.generation)
}

export const close = (tables: AgentTables, id: number, questions: ReadonlyArray<string>): boolean => {
  const row = tables.generations.get(id)
  if (row?.generation.state !== "ended") return false
  const answer = tables.messages.get(row.generation.answer ?? 0)
  if (questions.length > 0 && row.logged) append(row, [{ kind: "suggest", data: { questions } }])
  if (questions.length > 0 && answer !== undefined) answer.message = { ...answer.message, suggestions: [...questions] }
  change(row, { state: "closed" })
  return true
}

/**
 * Closes generations, drops their logs and removes rows. Returns the generations whose readers need not wait any more,
 * and a count.
 */
export const sweep = (
  tables: AgentTables,
  options: {
    readonly closeAfterMs: number
    readonly keepLogsMs: number
    readonly keepRowsMs: number
    readonly limit: number
  },
  now: number
): { readonly over: ReadonlyArray<number>; readonly count: number } => {
  const longAgo = (ms: number, also: (row: GenerationRow) => boolean) =>
    [...tables.generations.values()]
      .filter((row) => row.generation.endedAt !== null && row.generation.endedAt < now - ms && also(row))
      .sort((a, b) => a.generation.endedAt! - b.generation.endedAt!)
      .slice(0, options.limit)
  const closing = longAgo(options.closeAfterMs, ({ generation }) => generation.state === "ended")
  for (const row of closing) change(row, { state: "closed" })
  const dropping = longAgo(options.keepLogsMs, (row) => row.logged && row.generation.state === "closed")
  dropping.forEach(dropLog)
  const forgetting = longAgo(options.keepRowsMs, ({ generation }) => generation.state === "closed")
  for (const { generation } of forgetting) tables.generations.delete(generation.id)
  const over = [...new Set([...closing, ...dropping, ...forgetting].map(({ generation }) => generation.id))]
  return { over, count: closing.length + dropping.length + forgetting.length }
}
