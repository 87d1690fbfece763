import type { Actor } from "../access/account.ts"
import type { CallReference } from "./callId.ts"
import type { Month } from "./month.ts"

/** A call of an account: a reservation with its state, its caller and its refund. The times are in epoch ms. */
export interface AccountCall {
  readonly call: CallReference
  readonly actor: Actor
  /** The called operation: a tool's name, or `agent.answer`. */
  readonly operation: string
  /** The reserved credits. The credits are charged only if the call is settled. */
  readonly credits: number
  /** A reservation that has lapsed is `expired`, even if no sweep has expired it yet. */
  readonly state: "reserved" | "settled" | "released" | "expired"
  readonly reservedAt: number
  readonly endedAt: number | null
  readonly refund: { readonly adjustment: number; readonly amount: number } | null
}

/** Selects calls of an account. */
export interface AccountCallQuery {
  readonly account: number
  /** The month of the calls; null for the current month. */
  readonly month: Month | null
  /** Returns calls whose entries are below `before`; if null, the list begins with the largest id. */
  readonly before: number | null
  /** The maximum number of calls, at least 1. */
  readonly limit: number
}
