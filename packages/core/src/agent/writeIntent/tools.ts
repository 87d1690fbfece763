import { findTickers } from "../../market/instrumentMentions.ts"
import { labelledIn } from "./labels.ts"
import type { Act } from "./verbs.ts"
import * as say from "./vocabulary.ts"

/** The tools that write for which requests can be read from a message. Any other only by a proposal. */
export type WriteTool =
  | "set_position"
  | "update_position"
  | "close_position"
  | "delete_position"
  | "add_journal_note"
  | "set_risk_profile"
  | "update_watchlist"
  | "create_task"
  | "update_task"
  | "delete_task"
  | "mark_notifications_read"

type Has = (noun: keyof typeof say.nouns) => boolean

const isOneOf = (act: Act, ...acts: ReadonlyArray<Act>): boolean => acts.includes(act)

const aboutTasks = (act: Act, text: string, has: Has, conditional: boolean): WriteTool | null => {
  const numbers = labelledIn(text)
  const isTimed = say.every.test(text) && numbers.length + Number(say.hourly.test(text)) > 0
  const waits = (conditional || say.reaches.test(text) || say.above.test(text) || say.below.test(text)) &&
    (numbers.length > 0 || say.vwap.test(text))
  const isNew = !numbers.some(({ label }) => label === "id")
  if (isOneOf(act, "Notify") && ((conditional && waits) || isTimed)) return "create_task"
  if (isOneOf(act, "Report", "Add", "Set", "Other") && isTimed && !conditional && isNew) return "create_task"
  if (!has("task")) return null
  if (conditional) return isOneOf(act, "Add", "Set", "Record") && waits && isNew ? "create_task" : null
  if (act === "Delete") return "delete_task"
  if (isOneOf(act, "Pause", "Resume")) return "update_task"
  if (isOneOf(act, "Add", "Set", "Record") && numbers.length > 0 && isNew) return "create_task"
  return isOneOf(act, "Set") && !isNew ? "update_task" : null
}

const aboutPositions = (act: Act, text: string, has: Has, hasNumbers: boolean): WriteTool | null => {
  const hasSide = say.long.test(text) !== say.short.test(text)
  if (act === "Close") return has("position") || findTickers(text).length > 0 ? "close_position" : null
  if (act === "Delete") {
    const isPart = has("stop") || has("take") || has("leverage")
    return has("position") && !isPart ? "delete_position" : null
  }
  const changes = has("stop") || has("take") || has("leverage") || has("entry") || has("size")
  // "Add short ETH 2450 sl 2500": a price that nothing labels is the entry of a new position.
  const isPriced = hasSide && labelledIn(text).some(({ label, unit }) => label === null && unit === "plain")
  const opens = has("entry") || has("size") || has("at") || say.fresh.test(text) || isPriced
  if (act === "Set") return changes && hasNumbers ? "update_position" : null
  if (act === "Add" && changes && !opens) return hasNumbers ? "update_position" : null
  return isOneOf(act, "Record", "Add") && hasSide ? "set_position" : null
}

/**
 * The tool that does what is asked for; null when there is none, or it is not clear which. `hasNumbers`: whether it is
 * said what to change it to.
 */
export const toolOf = (
  act: Act,
  text: string,
  conditional: boolean,
  hasNumbers = labelledIn(text).length > 0
): WriteTool | null => {
  const has: Has = (noun) => say.nouns[noun].test(text)
  if (has("watchlist")) {
    return isOneOf(act, "Add", "Record", "Set", "Delete") && !conditional
      ? "update_watchlist"
      : null
  }
  if (has("notifications") && has("read") && isOneOf(act, "Mark", "Set", "Add")) {
    return conditional ? null : "mark_notifications_read"
  }
  const task = aboutTasks(act, text, has, conditional)
  if (task !== null) return task
  if (conditional || isOneOf(act, "Other", "Notify", "Mark", "Pause", "Resume")) return null
  const positioned = aboutPositions(act, text, has, hasNumbers)
  if (has("note") && positioned !== "set_position") {
    return isOneOf(act, "Note", "Record", "Add", "Set") ? "add_journal_note" : null
  }
  if (act === "Report") return null
  if (act === "Note" && positioned === null) return "add_journal_note"
  const ofProfile = has("profile") || has("accountSize") || has("openRisk") || has("maxLeverage") || has("risk")
  if (ofProfile && isOneOf(act, "Set", "Record") && findTickers(text).length === 0) return "set_risk_profile"
  return positioned
}
