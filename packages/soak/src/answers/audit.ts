import type { LoggedEvent } from "@tapeline/core/agent"
import { auditLedger, type Query } from "../audit.ts"
import { completeAnswer } from "./fakeUpstream.ts"

export const answerPrice = 20

type Row = Readonly<Record<string, unknown>>

interface ShownAnswer {
  text: string
  readonly outcomes: Array<unknown>
  readonly tools: Array<unknown>
  readonly finishedTools: Array<unknown>
}

const readLog = (events: ReadonlyArray<LoggedEvent>) => {
  const shown: ShownAnswer = { text: "", outcomes: [], tools: [], finishedTools: [] }
  const findings: Array<string> = []
  events.forEach(({ data: text, kind, n }, i) => {
    if (n !== i + 1) findings.push(`event ${n} is at position ${i + 1} of the log`)
    if ((kind === "conversation") !== (i === 0)) findings.push(`event ${n} has the kind ${kind}`)
    if (shown.outcomes.length > 0 && kind !== "suggest") findings.push(`the event ${kind} follows the event done`)
    // The cast is safe, because the text is the data of an appended event.
    const data: Readonly<Record<string, unknown>> = JSON.parse(text)
    if (kind === "tool") shown.tools.push(data["call_id"])
    if (kind === "tool_done") shown.finishedTools.push(data["call_id"])
    if (kind === "done") shown.outcomes.push(data["outcome"])
    if (kind === "delta") {
      const offset = Number(data["offset"])
      if (offset > shown.text.length) findings.push(`a delta leaves a gap before offset ${offset}`)
      shown.text = shown.text.slice(0, offset) + String(data["text"])
    }
  })
  const sortedIds = (ids: ReadonlyArray<unknown>) => ids.map(String).toSorted((a, b) => a.localeCompare(b)).join()
  if (new Set(shown.tools).size !== shown.tools.length || sortedIds(shown.tools) !== sortedIds(shown.finishedTools)) {
    findings.push(`the calls ${sortedIds(shown.tools)} began, but ${sortedIds(shown.finishedTools)} ended`)
  }
  if (shown.outcomes.length !== 1) findings.push(`the log has ${shown.outcomes.length} events done`)
  return { shown, findings }
}

export const auditAnswer = async (
  query: Query,
  generation: number,
  events: ReadonlyArray<LoggedEvent>,
  outcome: "finished" | "cancelled"
): Promise<ReadonlyArray<string>> => {
  const { findings, shown } = readLog(events)
  const compare = (name: string, actual: unknown, expected: unknown) => {
    if (actual !== expected) findings.push(`${name} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
  }
  const [row]: ReadonlyArray<Row> = await query(
    `select g.state, g.outcome, g.next_n, g.account, m.body, (select count(*)::int from messages a
        where a.account = g.account and a.role = 'assistant') as answers,
      (select coalesce(sum(r.credits), 0)::int from credit_reservations r
        where r.account = g.account and r.state = 'settled') as charged
    from generations g left join messages m on m.account = g.account and m.id = g.answer where g.id = ${generation}`
  )
  if (row === undefined) return [...findings, "the generation has no row"]
  compare("the outcome in the log", shown.outcomes[0], outcome)
  compare("the outcome in the row", row["outcome"], outcome)
  compare("the state of the generation", row["state"], "closed")
  compare("the number of events", row["next_n"], events.length + 1)
  if (outcome === "finished") compare("the text in the log", shown.text, completeAnswer)
  // A generation without visible output has no answer and no charge.
  compare("the existence of a stored answer", row["body"] !== null, shown.text !== "")
  compare("the number of charged credits", row["charged"], answerPrice * Number(row["answers"]))
  if (typeof row["body"] === "string") {
    // The cast is safe, because the store wrote this JSON.
    const { content }: { readonly content?: unknown } = JSON.parse(row["body"])
    compare("the text of the message", content, shown.text)
  }
  return [...findings, ...(await auditLedger(query))]
}
