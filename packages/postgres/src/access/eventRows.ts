import type { EventType, RecordedEvent } from "@tapeline/core/engine"

/** The columns of an event. `alias` is the alias of the table, with a dot, or an empty text. */
export const eventColumns = (alias = ""): string =>
  `${alias}id::float8 as id, ${alias}time::float8 as time, ${alias}type, ${alias}actor,
    ${alias}account::float8 as account, ${alias}target, ${alias}before, ${alias}after, ${alias}request_id,
    ${alias}address`

export interface EventRow {
  readonly id: number
  readonly time: number
  readonly type: EventType
  readonly actor: string
  readonly account: number | null
  readonly target: string | null
  readonly before: string | null
  readonly after: string | null
  readonly request_id: string | null
  readonly address: string | null
}

const parse = (text: string | null) => text === null ? null : JSON.parse(text)

export const toEvent = (row: EventRow): RecordedEvent => ({
  id: row.id,
  time: row.time,
  type: row.type,
  actor: row.actor,
  account: row.account,
  target: row.target,
  before: parse(row.before),
  after: parse(row.after),
  requestId: row.request_id,
  address: row.address
})
