import { FiringOutcome, Outcome, TaskStatus } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { accountParams, changeProblems } from "./admin.ts"
import { AdminAuthorization, adminOperation } from "./authorization.ts"
import { ChangeHeaders } from "./headers.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"
import { wholeNumber } from "./wholeNumber.ts"

/* The answers and tasks of accounts in the admin API. */

const UserReason = Schema.String.annotate({ description: "The reason, which the account's user sees" }).check(
  Schema.isMaxLength(500)
)
export const StopWork = Schema.Struct({ reason: Schema.optionalKey(UserReason) })

export const RunningAnswerBody = Schema.Struct({
  id: Schema.Int,
  account: Schema.Int,
  conversation_id: Schema.Int,
  call_id: Schema.String.annotate({ description: "The id with which the answer can be refunded" }),
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

/** The admin endpoints for running answers and for tasks. */
export const adminWorkGroup = HttpApiGroup.make("adminWork")
  .add(
    HttpApiEndpoint.get("answers", "/admin/v1/accounts/:id/answers", {
      params: accountParams,
      success: RunningAnswerList,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("read", {
        identifier: "listRunningAnswers",
        summary: "List running answers",
        description: "Returns the running answers of an account."
      })
    ),
    HttpApiEndpoint.get("answer", "/admin/v1/answers/:id", {
      params: { id: wholeNumber(1, Number.MAX_SAFE_INTEGER, "The answer's id") },
      success: RunningAnswerBody,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("read", {
        identifier: "getAnswer",
        summary: "Get an answer",
        description: "Returns an answer until a day after its end."
      })
    ),
    HttpApiEndpoint.post("stopAnswer", "/admin/v1/answers/:id/stop", {
      params: { id: wholeNumber(1, Number.MAX_SAFE_INTEGER, "The answer's id") },
      payload: StopWork,
      headers: ChangeHeaders,
      success: RunningAnswerBody,
      error: problemSchemas(...changeProblems, "not_found")
    }).annotateMerge(
      adminOperation("write", {
        identifier: "stopAnswer",
        summary: "Stop a running answer",
        description:
          "Ends a running answer without a charge. The answer fails with the code `stopped_by_operator`, and its user " +
          "sees the reason. An answer that has already ended is returned unchanged."
      })
    ),
    HttpApiEndpoint.get("tasks", "/admin/v1/accounts/:id/tasks", {
      params: accountParams,
      success: AdminTaskList,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("read", {
        identifier: "listAccountTasks",
        summary: "List an account's tasks",
        description: "Returns the tasks of an account."
      })
    ),
    HttpApiEndpoint.post("pauseTask", "/admin/v1/accounts/:id/tasks/:task/pause", {
      params: { ...accountParams, task: wholeNumber(1, Number.MAX_SAFE_INTEGER, "The task's id") },
      payload: StopWork,
      headers: ChangeHeaders,
      success: AdminTaskBody,
      error: problemSchemas(...changeProblems, "not_found")
    }).annotateMerge(
      adminOperation("write", {
        identifier: "pauseAccountTask",
        summary: "Pause a task",
        description:
          "Pauses a task and stops its running answer. A notification shows the reason to the user, who can resume the " +
          "task."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "Running answers and tasks of accounts. Requires an admin token with the scope `x-admin-scope` of the operation."
  )
