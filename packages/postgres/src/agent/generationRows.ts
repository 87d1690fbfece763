import { PgTypes } from "@effect/sql-pg"
import type { Generation, GenerationEvent, Outcome } from "@tapeline/core/agent"
import { texts } from "../parameters.ts"

const bigintColumns = ["id", "account", "conversation", "question", "started_at", "renewed_at", "ended_at", "answer"]

export const generationColumns = (table: string): string =>
  [
    ...bigintColumns.map((name) => `${table}.${name}::float8 as ${name}`),
    ...["state", "epoch", "next_n", "outcome", "brief", "reservation"].map((name) => `${table}.${name}`)
  ].join(", ")

export interface GenerationRow {
  readonly id: number
  readonly account: number
  readonly conversation: number
  readonly question: number
  readonly started_at: number
  readonly renewed_at: number
  readonly ended_at: number | null
  readonly answer: number | null
  readonly state: Generation["state"]
  readonly epoch: number
  readonly next_n: number
  readonly outcome: Outcome | null
  readonly brief: string
  readonly reservation: string
}

export const toGeneration = (row: GenerationRow): Generation => ({
  id: row.id,
  account: row.account,
  conversation: row.conversation,
  question: row.question,
  brief: JSON.parse(row.brief),
  reservation: JSON.parse(row.reservation),
  state: row.state,
  epoch: row.epoch,
  nextN: row.next_n,
  startedAt: row.started_at,
  renewedAt: row.renewed_at,
  endedAt: row.ended_at,
  outcome: row.outcome,
  answer: row.answer
})

/** Converts events to two statement parameters: the kinds, and the data as JSON. */
export const eventParameters = (
  events: ReadonlyArray<GenerationEvent>
): readonly [PgTypes.Parameter, PgTypes.Parameter] => [
  texts(events.map(({ kind }) => kind)),
  texts(events.map(({ data }) => JSON.stringify(data)))
]
