import { type AccessChange, type Account, type Actor, dayOf, type KeyRecord, type Month } from "@tapeline/core/engine"
import { Context, Effect, Layer, PubSub } from "effect"
import { type AgentTables, emptyAgentTables } from "./agentTables.ts"
import { emptySessionTables, type SessionTables } from "./sessionTables.ts"
import { emptyTaskTables, type TaskTables } from "./taskTables.ts"

/** What the database's row of a month holds. */
export interface MonthRow {
  readonly account: number
  readonly month: Month
  allotted: number
  cap: number
  used: number
  reserved: number
}

/** What the database's row of a reservation holds. Times are epoch ms. */
export interface EntryRow {
  readonly id: number
  readonly account: number
  readonly actor: Actor
  readonly month: Month
  readonly tool: string
  readonly credits: number
  state: "reserved" | "settled" | "released" | "expired"
  readonly reservedAt: number
  expiresAt: number
  endedAt: number | null
  /** The UTC day (days since 1970) in which it counts for a quota; null when it counts for none. */
  readonly day: number | null
  readonly idempotencyKey: string | null
  /** Until when a settled reservation holds its idempotency key. */
  readonly retainedUntil: number | null
}

/** What the database's row of an idempotency key holds: which reservation was made under it last. */
export interface IdempotencyRow {
  readonly fingerprint: string
  readonly entry: number
  readonly origin: number
  readonly retainedUntil: number
  answer: string | null
}

/** What the usage of a month is told apart by. */
export interface UsagePlace {
  readonly account: number
  readonly month: Month
  /** The UTC day (days since 1970) in which the calls were admitted. */
  readonly day: number
  readonly caller: Caller
  readonly tool: string
}

/** What the database's row of the usage roll-up holds. */
export interface UsageRow extends UsagePlace {
  calls: number
  failed: number
  credits: number
}

/** Who called, as usage tells callers apart: a key by its id, all who signed in, all tasks. */
export type Caller = `key:${number}` | "session" | "task"

const callerOf = (actor: Actor): Caller =>
  actor._tag === "Key" ? `key:${actor.key}` : actor._tag === "Session" ? "session" : "task"

/** Which row of usage a reservation counts in. */
export const usagePlace = ({ account, actor, month, reservedAt, tool }: EntryRow): UsagePlace => ({
  account,
  month,
  day: dayOf(reservedAt) / 86_400_000,
  caller: callerOf(actor),
  tool
})

/** The identity of a row of usage. */
export const usageId = ({ account, caller, day, month, tool }: UsagePlace): string =>
  `${monthId(account, month)}/${day}/${caller}/${tool}`

/**
 * The tables that the memory adapters share, as one database is shared by the adapters on it. Two sets of adapters
 * over one `MemoryState` stand for two nodes. Every change is one synchronous step, so none is ever seen half-done.
 */
export class MemoryState extends Context.Service<MemoryState, {
  readonly accounts: Map<number, Account>
  readonly keys: Map<number, KeyRecord & { readonly hash: string }>
  /** Monthly credits by plan. */
  readonly plans: Map<string, number>
  /** By `monthId`. */
  readonly months: Map<string, MonthRow>
  readonly entries: Map<number, EntryRow>
  /** The last entry's number. */
  readonly sequence: { last: number }
  /** By account and key. */
  readonly idempotency: Map<string, IdempotencyRow>
  /** Months (`monthId`) that a test holds, as another session of a database may hold their rows. */
  readonly held: Set<string>
  /** By `usageId`. */
  readonly usage: Map<string, UsageRow>
  readonly windows: Map<number, { endsAt: number; taken: number }>
  readonly changes: PubSub.PubSub<AccessChange>
  readonly agent: AgentTables
  readonly sessions: SessionTables
  readonly tasks: TaskTables
}>()("@tapeline/testing/memory/MemoryState") {
  static readonly layer: Layer.Layer<MemoryState> = Layer.effect(
    MemoryState,
    Effect.map(PubSub.unbounded<AccessChange>(), (changes) => ({
      accounts: new Map(),
      keys: new Map(),
      plans: new Map(),
      months: new Map(),
      entries: new Map(),
      sequence: { last: 0 },
      idempotency: new Map(),
      held: new Set(),
      usage: new Map(),
      windows: new Map(),
      changes,
      agent: emptyAgentTables(),
      sessions: emptySessionTables(),
      tasks: emptyTaskTables()
    }))
  )
}

/** The identity of a month's row. */
export const monthId = (account: number, month: Month): string => `${account}/${month}`
