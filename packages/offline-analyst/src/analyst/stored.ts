import { describeCall } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import { Predicate, type Schema } from "effect"
import type { Finding } from "./Findings.ts"
import type { Planned } from "./intent.ts"

const position = ["id", "coin", "side", "entry", "stop", "takes", "size_usd", "leverage", "notes"]
const task = ["id", "title", "kind", "spec", "prompt", "status", "max_runs", "next_at"]

/** The path of the stored record in the result of each writing tool, and the fields to report. */
const records: Readonly<Record<string, readonly [path: string, fields: ReadonlyArray<string>]>> = {
  set_position: ["position", position],
  update_position: ["position", position],
  close_position: ["trade", ["coin", "side", "fraction", "entry", "exit", "size_usd", "fees_usd", "notes"]],
  add_journal_note: ["note", ["id", "text", "coin", "trade_id"]],
  set_risk_profile: ["risk_profile", ["account_usd", "risk_pct", "max_leverage", "max_open_risk_pct"]],
  update_watchlist: ["", ["coins"]],
  create_task: ["task", task],
  update_task: ["task", task],
  mark_notifications_read: ["", ["marked"]]
}

/** Describes the record that a call stored, with every field that the tool returned. */
export const storedWords = ({ arguments: args, name }: Planned, { data }: Finding, lang: Language): string => {
  const [path = "", fields = []] = records[name] ?? []
  const record: unknown = path === "" ? data.raw : data.get(path)
  const row = Predicate.isReadonlyObject(record) ? record : {}
  const shown = fields.flatMap((field): ReadonlyArray<readonly [string, Schema.Json]> =>
    // Tool results are JSON.
    Object.hasOwn(row, field) ? [[field, row[field] as Schema.Json]] : []
  )
  const kept = Object.entries(args).filter(([field]) => !Object.hasOwn(row, field))
  return describeCall(name, Object.fromEntries([...kept, ...shown]), lang)
}
