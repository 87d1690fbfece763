import type { AccessChange, Account, KeyRecord } from "@tapeline/core/access"
import type { Month } from "@tapeline/core/credits"
import { Context, Effect, Layer, PubSub } from "effect"

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
  readonly key: number
  readonly month: Month
  readonly tool: string
  readonly credits: number
  state: "reserved" | "settled" | "released" | "expired"
  readonly reservedAt: number
  expiresAt: number
  endedAt: number | null
  idempotencyKey: string | null
  fingerprint: string | null
  /** Until when a settled entry holds its idempotency key. */
  retainedUntil: number | null
  answer: string | null
}

/** What the database's row of the usage roll-up holds. */
export interface UsageRow {
  readonly account: number
  readonly month: Month
  readonly tool: string
  calls: number
  failed: number
  credits: number
}

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
  /** By `monthId` and tool. */
  readonly usage: Map<string, UsageRow>
  readonly windows: Map<number, { endsAt: number; taken: number }>
  readonly changes: PubSub.PubSub<AccessChange>
}>()("@tapeline/testing/memory/MemoryState") {
  static readonly layer: Layer.Layer<MemoryState> = Layer.effect(
    MemoryState,
    Effect.map(PubSub.unbounded<AccessChange>(), (changes) => ({
      accounts: new Map(),
      keys: new Map(),
      plans: new Map(),
      months: new Map(),
      entries: new Map(),
      usage: new Map(),
      windows: new Map(),
      changes
    }))
  )
}

/** The identity of a month's row. */
export const monthId = (account: number, month: Month): string => `${account}/${month}`
