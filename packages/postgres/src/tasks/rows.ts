import { type Firing, type Notification, type Task, TaskChangeResult } from "@tapeline/core/personal"
import { Schema } from "effect"

/** The number that the database stores for the account's owner in place of a key id. */
export const ownerKey = 0

/** Converts a number of the database column of keys to a key id, or to null for the owner of the account. */
export const toKey = (column: number): number | null => column === ownerKey ? null : column

/** Returns a function that lists the columns of a table, with bigints as JavaScript numbers. */
const makeColumnList = (bigints: ReadonlyArray<string>, others: ReadonlyArray<string>) => (table: string): string =>
  [...bigints.map((name) => `${table}.${name}::float8 as ${name}`), ...others.map((name) => `${table}.${name}`)]
    .join(", ")

const taskColumnList = makeColumnList([
  "id",
  "account",
  "version",
  "max_runs",
  "runs",
  "conversation",
  "key",
  "created_at",
  "updated_at",
  "not_before",
  "next_at"
], ["kind", "status", "said", "last"])

const watchColumnList = (table: string): string =>
  `${table}.arming::float8 as arming, ${table}.armed, ${table}.checked_to::float8 as checked_to,
  ${table}.last as last_value`

export const taskColumns = (task: string, watch: string): string => `${taskColumnList(task)}, ${watchColumnList(watch)}`

export interface TaskRow {
  readonly id: number
  readonly account: number
  readonly version: number
  readonly max_runs: number | null
  readonly runs: number
  readonly conversation: number
  readonly key: number
  readonly created_at: number
  readonly updated_at: number
  readonly not_before: number | null
  readonly next_at: number | null
  readonly kind: Task["kind"]
  readonly status: Task["status"]
  readonly said: string
  readonly last: string | null
  readonly arming: number | null
  readonly armed: boolean | null
  readonly checked_to: number | null
  readonly last_value: number | null
}

/** A row of a left join, whose columns are null if the row does not exist. */
export type Nullable<Row> = { readonly [K in keyof Row]: Row[K] | null }

/** Encodes as JSON the fields of a task that no SQL statement uses. */
export const encodeTask = ({ lang, prompt, spec, title }: Task): string => JSON.stringify({ title, prompt, lang, spec })

export const toTask = (row: TaskRow): Task => {
  const task = {
    ...JSON.parse(row.said),
    id: row.id,
    account: row.account,
    maxRuns: row.max_runs,
    status: row.status,
    runs: row.runs,
    conversation: row.conversation,
    key: toKey(row.key),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    notBefore: row.not_before,
    last: row.last === null ? null : JSON.parse(row.last)
  }
  if (row.kind === "schedule") return { ...task, kind: "schedule", nextAt: row.next_at! }
  const { armed, arming, checked_to: checkedTo, last_value: last } = row
  return { ...task, kind: "watch", watch: { arming: arming!, armed: armed!, checkedTo: checkedTo!, last } }
}

export const firingColumns = makeColumnList([
  "id",
  "account",
  "task",
  "due_at",
  "late_by",
  "missed",
  "key",
  "conversation",
  "claimed_at",
  "epoch",
  "renewed_at",
  "generation"
], ["due", "said", "lang", "state", "outcome"])

export interface FiringRow {
  readonly id: number
  readonly account: number
  readonly task: number
  readonly due_at: number
  readonly late_by: number
  readonly missed: number
  readonly key: number
  readonly conversation: number
  readonly claimed_at: number
  readonly epoch: number
  readonly renewed_at: number
  readonly generation: number | null
  readonly due: string
  readonly said: string
  readonly lang: Firing["lang"]
  readonly state: Firing["state"]
  readonly outcome: Firing["outcome"]
}

/** Encodes as JSON the fields of a firing that no SQL statement uses. */
export const encodeFiring = ({ observed, question, title }: Firing): string =>
  JSON.stringify({ title, question, observed })

export const toFiring = (row: FiringRow): Firing => ({
  ...JSON.parse(row.said),
  id: row.id,
  task: row.task,
  account: row.account,
  due: row.due,
  dueAt: row.due_at,
  lateByMs: row.late_by,
  missed: row.missed,
  lang: row.lang,
  key: row.key === ownerKey ? null : row.key,
  conversation: row.conversation,
  claimedAt: row.claimed_at,
  epoch: row.epoch,
  renewedAt: row.renewed_at,
  state: row.state,
  generation: row.generation,
  outcome: row.outcome
})

export const notificationColumns = makeColumnList(["n", "time", "task", "conversation"], ["kind", "said", "read"])

export interface NotificationRow {
  readonly n: number
  readonly time: number
  readonly task: number
  readonly conversation: number | null
  readonly kind: Notification["kind"]
  readonly said: string
  readonly read: boolean
}

export const toNotification = ({ conversation, kind, n, read, said, task, time }: NotificationRow): Notification => {
  // The column `said` contains `title`, `body` and, unless an older version wrote the row, `facts`.
  return { n, time, kind, ...JSON.parse(said), task, conversation, read }
}

export const writtenJson = {
  read: Schema.decodeUnknownSync(Schema.fromJsonString(TaskChangeResult)),
  write: Schema.encodeSync(Schema.fromJsonString(TaskChangeResult))
}
