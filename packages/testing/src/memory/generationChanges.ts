import {
  type ChatMessage,
  type Fence,
  formatProposalId,
  type Generation,
  type GenerationEnd,
  type GenerationEvent,
  type NewProposal,
  proposalLifetimeMs,
  type QuestionTarget,
  type StartRequest,
  type StartResult,
  type StoredStep
} from "@tapeline/core/agent"
import type { Busy, EndResult } from "@tapeline/core/engine"
import {
  addMessage,
  addScope,
  type AgentTables,
  cloneAsJson,
  type ConversationRow,
  dropLog,
  findConversation,
  findRunningGeneration,
  type GenerationRow,
  getMessages
} from "./agentTables.ts"
import { endOne, renewOne } from "./MemoryLedgerStore.ts"
import { getUsageDimensions, makeMonthId, makeUsageId, type MemoryState } from "./MemoryState.ts"

/* Each change of a generation is one synchronous step, and a change that throws leaves the state unchanged. */

type State = MemoryState["Service"]

const toLoggedEvents = (from: number, events: ReadonlyArray<GenerationEvent>) =>
  events.map(({ data, kind }, i) => ({ n: from + i, kind, data: JSON.stringify(data) }))

const changeGeneration = (row: GenerationRow, changes: Partial<Generation>): void => {
  row.generation = { ...row.generation, ...changes }
}

const appendEvents = (row: GenerationRow, events: ReadonlyArray<GenerationEvent>): void => {
  row.events.push(...toLoggedEvents(row.generation.nextN, events))
  changeGeneration(row, { nextN: row.generation.nextN + events.length })
}

/**
 * Finds the conversation of a new generation, or returns why the generation cannot start. If the request asks the last
 * question again, the result contains the ids of the question and of the answer to replace.
 */
const findPlace = (
  tables: AgentTables,
  { account, readableScopes }: StartRequest,
  target: Exclude<QuestionTarget, { readonly _tag: "New" }>
):
  | { readonly row: ConversationRow; readonly repeated: { question: number; replaces: number | null } | null }
  | StartResult =>
{
  const row = findConversation(tables, account, target.conversation)
  if (row === null || !row.scopes.every((scope) => readableScopes.includes(scope))) return { _tag: "NoConversation" }
  const running = findRunningGeneration(tables, row.id)
  if (running !== null) return { _tag: "Busy", generation: running.id }
  if (target.mode !== null && target.mode !== row.mode) return { _tag: "OtherMode", mode: row.mode }
  if (target._tag === "Existing") return { row, repeated: null }
  const messages = getMessages(tables, row.id).map(({ message }) => message)
  const question = messages.findLast(({ role }) => role === "user")
  if (question === undefined) return { _tag: "NoQuestion" }
  const answer = messages.findLast(({ id, proposal, role }) =>
    role === "assistant" && proposal === undefined && id > question.id
  )
  return { row, repeated: { question: question.id, replaces: answer?.id ?? null } }
}

const openConversation = (
  tables: AgentTables,
  { account, brief }: StartRequest,
  target: QuestionTarget & { _tag: "New" },
  now: number
) => {
  const row: ConversationRow = {
    id: ++tables.lastIds.conversation,
    account,
    title: target.title,
    mode: target.mode,
    lang: brief.lang,
    createdAt: now,
    updatedAt: now,
    summary: null,
    scopes: []
  }
  tables.conversations.set(row.id, row)
  return { row, repeated: null }
}

export const startGeneration = (state: State, request: StartRequest, now: number): StartResult => {
  const tables = state.agent
  const { account, brief, leaseMs, target, question, reservation, usedScopes } = request
  const before = [...tables.generations.values()].find(({ generation }) =>
    generation.account === account && generation.reservation.origin === reservation.origin &&
    (generation.state === "running" || generation.outcome === "finished")
  )
  if (before !== undefined) return { _tag: "Attached", generation: structuredClone(before.generation) }
  if ((target._tag === "Again") !== (question === null)) {
    throw new Error("A new answer needs a question, and a regenerated answer must have no new question")
  }
  const findOrOpen = target._tag === "New"
    ? () => openConversation(tables, request, target, now)
    : findPlace(tables, request, target)
  if (typeof findOrOpen !== "function" && "_tag" in findOrOpen) return findOrOpen
  if (!renewOne(state, reservation, leaseMs, now)) return { _tag: "Lapsed" }
  const conversationPlace = typeof findOrOpen === "function" ? findOrOpen() : findOrOpen
  const { repeated, row: conversation } = conversationPlace
  for (const scope of usedScopes) addScope(conversation, scope)
  const questionId = repeated?.question ?? addMessage(tables, conversation, question!, now).id
  const generation: Generation = {
    id: ++tables.lastIds.generation,
    account,
    conversation: conversation.id,
    question: questionId,
    brief: cloneAsJson({ ...brief, mode: conversation.mode, replaces: repeated?.replaces ?? null }),
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
    hasLog: true,
    steps: [],
    events: []
  }
  const data = { conversation_id: conversation.id, lang: brief.lang, mode: conversation.mode }
  appendEvents(row, [{ kind: "conversation", data }])
  tables.generations.set(generation.id, row)
  return { _tag: "Started", generation: structuredClone(row.generation) }
}

export const takeGeneration = (
  tables: AgentTables,
  id: number,
  { epochs, now, staleMs }: { readonly epochs: number; readonly now: number; readonly staleMs: number }
): Generation | null => {
  const row = tables.generations.get(id)
  if (row === undefined || row.generation.state !== "running") return null
  const { epoch, renewedAt } = row.generation
  if (epoch > 0 && renewedAt > now - staleMs) return null
  changeGeneration(row, { epoch: epoch + epochs, renewedAt: Math.max(renewedAt, now) })
  return structuredClone(row.generation)
}

const findHeld = (tables: AgentTables, { epoch, generation, nextN }: Fence): GenerationRow | null => {
  const row = tables.generations.get(generation)
  return row?.generation.state === "running" && row.generation.epoch === epoch &&
      (nextN === undefined || nextN === row.generation.nextN)
    ? row
    : null
}

/** Writes steps and events of a generation, or returns false if the fencing token is outdated. */
export const writeUnderFence = (
  tables: AgentTables,
  fence: Fence,
  steps: ReadonlyArray<StoredStep>,
  events: ReadonlyArray<GenerationEvent>,
  now: number
): boolean => {
  const row = findHeld(tables, fence)
  if (row === null) return false
  const names = [...row.steps, ...steps].map(({ name }) => name)
  const duplicate = names.find((name, i) => names.indexOf(name) !== i)
  if (duplicate !== undefined) {
    throw new Error(`The step ${duplicate} of generation ${fence.generation} is already stored`)
  }
  row.steps.push(...cloneAsJson(steps))
  appendEvents(row, events)
  changeGeneration(row, { renewedAt: Math.max(row.generation.renewedAt, now) })
  return true
}

/**
 * Returns a function that restores the current ledger rows of a reservation. The returned function undoes later
 * changes, like the rollback of a transaction.
 */
const snapshotLedger = (state: State, { account, entry, month }: Generation["reservation"]) => {
  const row = state.entries.get(entry)
  const rows = [
    [state.months, makeMonthId(account, month)],
    [state.entries, entry],
    [state.usage, row === undefined ? undefined : makeUsageId(getUsageDimensions(row))],
    [state.idempotency, `${account}/${row?.idempotencyKey}`]
  ] as ReadonlyArray<[Map<unknown, object>, unknown]> // each map has its own key type
  const copies = rows.map(([map, rowKey]) => structuredClone(map.get(rowKey)))
  return () =>
    rows.forEach(([map, rowKey], i) => {
      const [copy, row] = [copies[i], map.get(rowKey)]
      if (copy === undefined) map.delete(rowKey)
      else if (row !== undefined) map.set(rowKey, Object.assign(row, copy))
    })
}

const storeAnswer = (tables: AgentTables, generation: Generation, end: GenerationEnd, now: number) => {
  const { brief, conversation } = generation
  const row = tables.conversations.get(conversation)
  if (end.answer === null || row === undefined) return null
  // An unfinished answer does not replace an earlier answer.
  if (brief.replaces !== null && end.outcome !== "finished") return null
  const replaced = brief.replaces === null ? undefined : tables.messages.get(brief.replaces)
  if (replaced !== undefined) replaced.replaced = true
  row.lang = end.answer.lang
  const answer = addMessage(tables, row, end.answer, now)
  replaceProposals(tables, generation, answer.id, now)
  storeProposals(tables, generation, end.proposals, answer.id, now)
  return answer
}

/** Supersedes the open proposals of a replaced answer, and assigns its other proposals to the new answer. */
const replaceProposals = (tables: AgentTables, { brief }: Generation, message: number, now: number): void => {
  for (const row of tables.proposals.values()) {
    if (row.proposal.message !== brief.replaces) continue
    const { expiresAt, state } = row.proposal
    row.proposal = state === "open"
      ? { ...row.proposal, state: expiresAt <= now ? "expired" : "superseded" }
      : { ...row.proposal, message }
    // A claim of the replaced answer's proposal can no longer make the proposal open.
    if (state === "accepting") row.attempt += 1
  }
}

const storeProposals = (
  tables: AgentTables,
  { account, conversation, id: generation }: Generation,
  proposals: ReadonlyArray<NewProposal>,
  message: number,
  now: number
): void => {
  for (const proposal of proposals) {
    const id = formatProposalId({ generation, call: proposal.call })
    tables.proposals.set(id, {
      proposal: {
        ...cloneAsJson(proposal),
        id,
        account,
        conversation,
        message,
        state: "open",
        createdAt: now,
        expiresAt: now + proposalLifetimeMs,
        result: null,
        report: null
      },
      attempt: 0,
      acceptedAt: null
    })
  }
}

const queueFailedAnswer = (
  { queuedEvents }: State,
  { account, conversation, endedAt, id }: Generation,
  events: ReadonlyArray<GenerationEvent>
): void => {
  const code = events.flatMap((event) => event.kind === "done" ? [event.data.error?.code ?? null] : [])[0] ?? null
  const after = { conversation, code }
  queuedEvents.push({ type: "answer.failed", account, target: `answer ${id}`, after, time: endedAt! })
}

/**
 * Ends a running generation and its reservation. If a test has locked the month, the function returns `Busy` without
 * changes.
 */
export const endGeneration = (
  state: State,
  row: GenerationRow,
  end: GenerationEnd,
  now: number
): ChatMessage | null | Busy => {
  const snapshot = snapshotLedger(state, row.generation.reservation)
  const request = { reservation: row.generation.reservation, outcome: end.settlement }
  const ending: EndResult | Busy = endOne(state, request, now)
  if (ending._tag === "Busy") return ending
  let events: ReadonlyArray<GenerationEvent>
  try {
    events = end.events(ending)
  } catch (cause) {
    snapshot()
    throw cause
  }
  const answer = storeAnswer(state.agent, row.generation, end, now)
  appendEvents(row, events)
  row.consumed = { ...end.consumed }
  changeGeneration(row, {
    state: end.isOpen ? "ended" : "closed",
    endedAt: Math.max(now, row.generation.startedAt),
    outcome: end.outcome,
    answer: answer?.id ?? null
  })
  if (end.outcome === "failed") queueFailedAnswer(state, row.generation, events)
  return answer
}

/** Ends a generation. If the fencing token is outdated, the function changes nothing and returns `held: false`. */
export const endUnderFence = (
  state: State,
  fence: Fence,
  generationEnd: GenerationEnd,
  now: number
): { readonly held: boolean; readonly answer: ChatMessage | null } | Busy => {
  const row = findHeld(state.agent, fence)
  if (row === null) return { held: false, answer: null }
  const answer = endGeneration(state, row, generationEnd, now)
  return answer !== null && "_tag" in answer ? answer : { held: true, answer }
}

export const forceEnd = (
  state: State,
  id: number,
  generationEnd: (
    transcript: { generation: Generation; steps: Array<StoredStep>; events: Array<GenerationEvent> }
  ) => GenerationEnd,
  now: number
): Generation | null | Busy => {
  const row = state.agent.generations.get(id)
  if (row?.generation.state !== "running") return null
  const events = row.events.map(({ data, kind }) => ({ kind, data: JSON.parse(data) }))
  const result = endGeneration(
    state,
    row,
    generationEnd(structuredClone({ generation: row.generation, steps: row.steps, events })),
    now
  )
  if (result !== null && "_tag" in result) return result
  changeGeneration(row, { epoch: row.generation.epoch + 1 })
  return structuredClone(row.generation)
}

export const closeGeneration = (tables: AgentTables, id: number, questions: ReadonlyArray<string>): boolean => {
  const row = tables.generations.get(id)
  if (row?.generation.state !== "ended") return false
  const answer = tables.messages.get(row.generation.answer ?? 0)
  if (questions.length > 0 && row.hasLog) appendEvents(row, [{ kind: "suggest", data: { questions } }])
  if (questions.length > 0 && answer !== undefined) answer.message = { ...answer.message, suggestions: [...questions] }
  changeGeneration(row, { state: "closed" })
  return true
}

/**
 * Closes ended generations, and removes old logs and old generations. Returns the number of changes and the ids of the
 * changed generations.
 */
export const sweepGenerations = (
  tables: AgentTables,
  options: {
    readonly closeAfterMs: number
    readonly keepLogsMs: number
    readonly keepRowsMs: number
    readonly limit: number
  },
  now: number
): { readonly closedIds: ReadonlyArray<number>; readonly count: number } => {
  const getEndedBefore = (ms: number, isSelected: (row: GenerationRow) => boolean) =>
    [...tables.generations.values()]
      .filter((row) => row.generation.endedAt !== null && row.generation.endedAt < now - ms && isSelected(row))
      .sort((a, b) => a.generation.endedAt! - b.generation.endedAt!)
      .slice(0, options.limit)
  const toClose = getEndedBefore(options.closeAfterMs, ({ generation }) => generation.state === "ended")
  for (const row of toClose) changeGeneration(row, { state: "closed" })
  const toDropLogs = getEndedBefore(options.keepLogsMs, (row) => row.hasLog && row.generation.state === "closed")
  toDropLogs.forEach(dropLog)
  const toRemove = getEndedBefore(options.keepRowsMs, ({ generation }) => generation.state === "closed")
  for (const { generation } of toRemove) tables.generations.delete(generation.id)
  const closedIds = [...new Set([...toClose, ...toDropLogs, ...toRemove].map(({ generation }) => generation.id))]
  return { closedIds, count: toClose.length + toDropLogs.length + toRemove.length }
}
