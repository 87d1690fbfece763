import type { Schema } from "effect"
import { type KnownRecords, noRecords, type WriteObjection, type WriteProposal } from "../writeProposal.ts"
import {
  areAllMeant,
  type Arguments,
  foreignSizes,
  fractionOf,
  givenArguments,
  labelled,
  loosePrices,
  type Objection,
  type Rules,
  rulesOf
} from "./fields.ts"
import { masked } from "./readable.ts"
import type { WriteRequest } from "./requests.ts"
import { isTask } from "./taskRules.ts"
import { unusedIn } from "./unused.ts"

/** What a request tells that must stand in the arguments: to leave a stop out is to write something else. */
const told: ReadonlyArray<readonly [field: string, label: Parameters<typeof labelled>[1]]> = [
  ["stop", "stop"],
  ["takes", "takes"],
  ["leverage", "leverage"],
  ["entry", "entry"],
  ["size_usd", "size_usd"],
  ["account_usd", "account_usd"],
  ["risk_pct", "risk_pct"],
  ["max_leverage", "max_leverage"],
  ["max_open_risk_pct", "max_open_risk_pct"],
  ["fees_usd", "fees_usd"]
]

const leftOut = (request: WriteRequest, { fields }: Rules, args: Arguments): string | null => {
  const { tool } = request
  for (const [field, label] of told) {
    const isSaid = labelled(request, label).length > 0
    if (isSaid && Object.hasOwn(fields, field) && args[field] === undefined) return field
  }
  if (tool === "close_position" && fractionOf(request) !== null && args["fraction"] === undefined) return "fraction"
  const priced = tool === "set_position" && labelled(request, "entry", "price").length + loosePrices(request).length > 0
  if (priced && args["entry"] === undefined && args["size_usd"] === undefined) return "entry"
  // A percentage that nothing is said of stands for something that would be left out.
  const isLoose = request.numbers.some(({ label, unit }) => label === null && unit === "percent")
  if (tool === "set_risk_profile" && isLoose) return "risk_pct"
  return tool === "mark_notifications_read" && args["ids"] === undefined && !areAllMeant(request) ? "ids" : null
}

/** Two values for one argument leave open which is meant; only `takes` has several. */
const ambiguous = (request: WriteRequest): string | null => {
  for (const [field, label] of told) {
    if (field !== "takes" && labelled(request, label).length > 1) return field
  }
  return null
}

/** All that a request states, as it is written. */
export const statedIn = ({ beside, content, text, tool }: WriteRequest): string =>
  [text.replaceAll(masked, " "), ...(tool === "add_journal_note" ? [content] : []), beside].join("\n")

/** What a request states, and a call that is right otherwise leaves out. */
const unusedOf = (request: WriteRequest, args: Arguments): Objection => {
  const [word] = [...foreignSizes(request), ...unusedIn(statedIn(request), [args])]
  return word === undefined ? null : { kind: "unused", field: word }
}

/** Why `args` are not what `request` asks for; null when they are. */
const objectionTo = (request: WriteRequest, args: Arguments, records: KnownRecords): Objection => {
  const { tool } = request
  if (tool === "create_task") return isTask(args, request) ?? unusedOf(request, args)
  const { fields, required, some } = rulesOf[tool]
  const twice = ambiguous(request)
  if (twice !== null) return { kind: "unclear", field: twice }
  for (const [field, value] of Object.entries(args)) {
    const check = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (check === undefined || !check(value, request, records)) return { kind: "differs", field }
  }
  const missing = required.find((field) => args[field] === undefined) ??
    (some === undefined || some.some((field) => args[field] !== undefined) ? undefined : some.join(", ")) ??
    leftOut(request, rulesOf[tool], args)
  return missing === null || missing === undefined ? unusedOf(request, args) : { kind: "missing", field: missing }
}

/** What may be written: what the message asks for, and what it accepts. Data, and a function of these alone. */
export interface Intent {
  readonly requests: ReadonlyArray<WriteRequest>
  readonly accepted: ReadonlyArray<WriteProposal>
}

/** Whether a call may be made, and if not, why. */
export type Permission = { readonly permitted: true } | ({ readonly permitted: false } & WriteObjection)

const permitted: Permission = { permitted: true }

const inOrder = (value: Schema.Json): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  // JSON that is no list and no plain value is an object.
  const entries = Object.entries(value as Arguments).filter(([, one]) => one !== null)
  return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1).map(([key, one]) => [key, inOrder(one)]))
}

/** Whether two calls' arguments say the same. */
export const sameArguments = (a: Schema.Json, b: Schema.Json): boolean =>
  JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b))

/** Whether one request is what a call does. */
export const permitsRequest = (request: WriteRequest, args: Schema.Json, records = noRecords): Permission => {
  const given = givenArguments(args)
  if (given === null) return { permitted: false, reason: "differs", field: "arguments" }
  const objection = objectionTo(request, given, records)
  return objection === null ? permitted : { permitted: false, reason: objection.kind, field: objection.field }
}

/** Whether `tool` may be called with `args`: when the user's message asked for just that. */
export const permits = (intent: Intent, tool: string, args: Schema.Json, records = noRecords): Permission => {
  if (intent.accepted.some((one) => one.tool === tool && sameArguments(one.arguments, args))) return permitted
  let refusal: Permission = { permitted: false, reason: "not_asked", field: "" }
  for (const request of intent.requests) {
    if (request.tool !== tool) continue
    refusal = permitsRequest(request, args, records)
    if (refusal.permitted) return refusal
  }
  return refusal
}
