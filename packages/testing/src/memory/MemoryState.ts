import {
  type AccessChange,
  type Account,
  type Actor,
  type Adjustment,
  type AdminTokenRecord,
  dayOf,
  type DeliveryRecord,
  type KeyRecord,
  type Month,
  type QueuedEventType,
  type RecordedEvent,
  type WebhookRecord
} from "@tapeline/core/engine"
import { Context, Effect, Layer, PubSub, type Redacted } from "effect"
import { type AgentTables, makeAgentTables } from "./agentTables.ts"
import { makeSessionTables, type SessionTables } from "./sessionTables.ts"
import { makeTaskTables, type TaskTables } from "./taskTables.ts"

/** The stored credit balance of an account in a month. */
export interface MonthRow {
  readonly account: number
  readonly month: Month
  allotted: number
  adjusted: number
  cap: number
  used: number
  reserved: number
}

/** The stored credits of a chain of rotated keys in a month. `key` is the first key of the chain. */
export interface KeyMonthRow {
  readonly account: number
  readonly month: Month
  readonly key: number
  /** The credits that the keys may use. */
  credits: number
  /** The larger value of `credits` and of the sum of used and reserved credits. */
  cap: number
  used: number
  reserved: number
}

/** The stored row of a credit reservation, with times in epoch milliseconds. */
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
  /**
   * The UTC day whose daily quota counts the reservation, in days since 1970. Null means that no daily quota counts the
   * reservation.
   */
  readonly day: number | null
  readonly idempotencyKey: string | null
  /** The time until which a settled reservation keeps its idempotency key. */
  readonly retainedUntil: number | null
}

/** The stored row of an idempotency key, with the last reservation that used the key. */
export interface IdempotencyRow {
  readonly fingerprint: string
  readonly entry: number
  readonly origin: number
  readonly retainedUntil: number
  answer: string | null
}

/** The dimensions by which usage is counted. */
export interface UsageDimensions {
  readonly account: number
  readonly month: Month
  /** The UTC day of the calls, in days since 1970. */
  readonly day: number
  readonly caller: UsageCallerKey
  readonly tool: string
}

/** The stored usage totals of one combination of dimensions. */
export interface UsageRow extends UsageDimensions {
  calls: number
  failed: number
  credits: number
}

/** An event that waits to be recorded. */
export interface QueuedEvent extends Pick<RecordedEvent, "account" | "target" | "after" | "time"> {
  readonly type: QueuedEventType
}

/** A caller in usage reports: an API key by its id, all sessions, or all tasks. */
export type UsageCallerKey = `key:${number}` | "session" | "task"

const getCaller = (actor: Actor): UsageCallerKey =>
  actor._tag === "Key" ? `key:${actor.key}` : actor._tag === "Session" ? "session" : "task"

/** Returns the dimensions of the usage row that counts a reservation. */
export const getUsageDimensions = ({ account, actor, month, reservedAt, tool }: EntryRow): UsageDimensions => ({
  account,
  month,
  day: dayOf(reservedAt) / 86_400_000,
  caller: getCaller(actor),
  tool
})

/** Returns the key of a usage row in `MemoryState`. */
export const makeUsageId = ({ account, caller, day, month, tool }: UsageDimensions): string =>
  `${makeMonthId(account, month)}/${day}/${caller}/${tool}`

/** A webhook with its secrets, its lease and its deliveries, by the ids of their events. */
export interface WebhookRow {
  record: WebhookRecord
  secret: Redacted.Redacted<string>
  previousSecret: Redacted.Redacted<string> | null
  isDeleted: boolean
  cursor: number
  lease: number
  leaseUntil: number
  pausedUntil: number
  failures: number
  readonly deliveries: Map<number, DeliveryRecord>
}

/**
 * The tables that the in-memory adapters share, like the tables of a database. Two sets of adapters over one
 * `MemoryState` simulate two server processes. Every change is one synchronous step, so no reader sees a partial
 * change.
 */
export class MemoryState extends Context.Service<MemoryState, {
  readonly accounts: Map<number, Account>
  readonly keys: Map<number, KeyRecord & { readonly hash: string }>
  readonly plans: Map<string, number>
  /** The credit balances of accounts by month. `makeMonthId` creates the keys of this map. */
  readonly months: Map<string, MonthRow>
  readonly entries: Map<number, EntryRow>
  /** The credits of keys with monthly credits of their own. `makeKeyMonthId` creates the keys of this map. */
  readonly keyMonths: Map<string, KeyMonthRow>
  readonly sequence: { last: number }
  readonly adjustments: Map<number, Adjustment>
  readonly idempotency: Map<string, IdempotencyRow>
  /** The months that a test has locked. The entries have the form that `makeMonthId` returns. */
  readonly lockedMonths: Set<string>
  /** The usage totals. `makeUsageId` creates the keys of this map. */
  readonly usage: Map<string, UsageRow>
  readonly windows: Map<string, { endsAt: number; taken: number }>
  readonly changes: PubSub.PubSub<AccessChange>
  readonly events: Array<RecordedEvent>
  /** The events that stores have queued for the log of events. */
  readonly queuedEvents: Array<QueuedEvent>
  /** The marked thresholds of monthly credits: account, month and threshold, separated by slashes. */
  readonly thresholds: Set<string>
  /** The responses to administrative requests, by actor and idempotency key. */
  readonly adminResponses: Map<
    string,
    { readonly fingerprint: string; readonly response: string; readonly createdAt: number }
  >
  /** The named admin tokens, by the hashes of their texts. */
  readonly adminTokens: Map<string, AdminTokenRecord>
  readonly webhooks: Map<number, WebhookRow>
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
      keyMonths: new Map(),
      sequence: { last: 0 },
      adjustments: new Map(),
      idempotency: new Map(),
      lockedMonths: new Set(),
      usage: new Map(),
      windows: new Map(),
      changes,
      events: [],
      queuedEvents: [],
      thresholds: new Set(),
      adminResponses: new Map(),
      adminTokens: new Map(),
      webhooks: new Map(),
      agent: makeAgentTables(),
      sessions: makeSessionTables(),
      tasks: makeTaskTables()
    }))
  )
}

/** Returns the key of the row of a key's month in `MemoryState`. */
export const makeKeyMonthId = ({ account, key, month }: Pick<KeyMonthRow, "account" | "key" | "month">): string =>
  `${makeMonthId(account, month)}/${key}`

/** Returns the key of a month's row in `MemoryState`. */
export const makeMonthId = (account: number, month: Month): string => `${account}/${month}`
