import { FiringOutcome, Outcome, TaskStatus } from "@tapeline/core/specifications"
import { Schema } from "effect"

/* The answers and tasks of accounts in the admin API. */

const UserReason = Schema.String.annotate({ description: "The reason, which the account's user sees" }).check(
  Schema.isMaxLength(500)
)
export const StopWork = Schema.Struct({ reason: Schema.optionalKey(UserReason) })

export const RunningAnswerBody = Schema.Struct({
  id: Schema.Int,
  account: Schema.Int,
  conversation_id: Schema.Int,
  actor: Schema.String.annotate({ description: "`key ID`, `session ID` or `task ID`" }),
  state: Schema.Literals(["running", "ended"]),
  outcome: Schema.NullOr(Outcome),
  credits: Schema.Int.annotate({ description: "The credits that are reserved for the answer" }),
  started_at: Schema.String,
  ended_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AdminAnswer", description: "An answer, without its texts" })

export const RunningAnswerList = Schema.Struct({ answers: Schema.Array(RunningAnswerBody) }).annotate({
  identifier: "AdminAnswerList",
  description: "The running answers of an account, oldest first, at most 100"
})

export const AdminTaskBody = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  kind: Schema.Literals(["watch", "schedule"]),
  status: TaskStatus,
  runs: Schema.Int,
  key_id: Schema.NullOr(Schema.Int),
  next_at: Schema.NullOr(Schema.String),
  last: Schema.NullOr(Schema.Struct({ due_at: Schema.String, outcome: FiringOutcome })),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "AdminTask", description: "A task of an account" })

export const AdminTaskList = Schema.Struct({ tasks: Schema.Array(AdminTaskBody) }).annotate({
  identifier: "AdminTaskList",
  description: "The tasks of an account, newest first"
})
