import type { WriteProposal } from "@tapeline/core/agent"
import type { Schema } from "effect"

type Args = Readonly<Record<string, Schema.Json>>

export type Call = readonly [tool: string, args: Args]

/**
 * The kind of an example. For `not asked` and `quoted`, nothing may be written, and for `other`, anything but `calls`.
 */
export type Kind = "asked" | "accepted" | "several" | "typo" | "mixed" | "not asked" | "quoted" | "other"

export interface Example {
  readonly kind: Kind
  readonly message: string
  readonly calls: ReadonlyArray<Call>
  readonly proposals: ReadonlyArray<WriteProposal>
}

const of = (kind: Kind) => (message: string, ...calls: ReadonlyArray<Call>): Example => ({
  kind,
  message,
  calls,
  proposals: []
})

export const asked = of("asked")
export const several = of("several")
export const typo = of("typo")
export const mixed = of("mixed")
export const other = of("other")
export const notAsked = of("not asked")
export const quoted = of("quoted")

export const btcLong: WriteProposal = {
  tool: "set_position",
  arguments: { coin: "BTC", side: "long", entry: 60000, stop: 58000, leverage: 5 }
}
export const watchEth: WriteProposal = {
  tool: "create_task",
  arguments: {
    title: "ETH above 4000",
    kind: "watch",
    spec: { metric: "price", symbol: "ETH", op: "gte", value: 4000 }
  }
}
export const closeSol: WriteProposal = { tool: "close_position", arguments: { id: 19, exit: 210 } }

const callOf = ({ arguments: args, tool }: WriteProposal): Call => [tool, args as Args] // an object of the tests

/** Makes a message that accepts `picked` from `proposals`. */
export const accepted = (
  message: string,
  proposals: ReadonlyArray<WriteProposal> = [btcLong],
  picked: ReadonlyArray<WriteProposal> = proposals
): Example => ({ kind: "accepted", message, proposals, calls: picked.map(callOf) })

/** Makes a message that accepts none of the proposals that the user saw. */
export const declined = (message: string, proposals: ReadonlyArray<WriteProposal> = [btcLong]): Example => ({
  kind: "not asked",
  message,
  proposals,
  calls: proposals.map(callOf)
})

export const setPosition = (coin: string, side: string, rest: Args = {}): Call => [
  "set_position",
  { coin, side, ...rest }
]
export const update = (id: number, rest: Args): Call => ["update_position", { id, ...rest }]
export const close = (id: number, exit: number, rest: Args = {}): Call => ["close_position", { id, exit, ...rest }]
export const watch = (title: string, symbol: string, op: string, value: number, metric = "price"): Call => [
  "create_task",
  { title, kind: "watch", spec: { metric, symbol, op, value } }
]
export const schedule = (title: string, spec: Args, rest: Args = {}): Call => [
  "create_task",
  { title, kind: "schedule", spec, ...rest }
]
export const note = (text: string, rest: Args = {}): Call => ["add_journal_note", { text, ...rest }]
export const profile = (args: Args): Call => ["set_risk_profile", args]
export const addCoins = (...add: ReadonlyArray<string>): Call => ["update_watchlist", { add }]
export const removeCoins = (...remove: ReadonlyArray<string>): Call => ["update_watchlist", { remove }]
export const read: Call = ["mark_notifications_read", {}]
