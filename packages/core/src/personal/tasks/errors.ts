import { Schema } from "effect"
import type { ActorEnded } from "../../engine/access/ActorEnded.ts"
import type { RecordChanged } from "../../engine/access/RecordChanged.ts"
import { type ConvertibleToToolFailure, ToolFailure } from "../../engine/tool/failure.ts"
import { taskLimits } from "./task.ts"

/** The engine was built without a task store. */
export class NoTaskStore extends Schema.TaggedError<NoTaskStore>()("NoTaskStore", {})
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return "this engine has no TaskStore: provide one, such as PgStores of @tapeline/postgres"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "tasks_none" }, retryable: false })
  }
}

/** The account has no task with the given id: the task never existed, was deleted, or belongs to another account. */
export class NoSuchTask extends Schema.TaggedError<NoSuchTask>()("NoSuchTask", { id: Schema.Int })
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return `there is no task ${this.id}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({
      code: "not_found",
      callerMessage: { key: "task_not_found", params: { id: this.id } },
      retryable: false
    })
  }
}

/**
 * The new trigger has another kind than the task. A watch cannot become a schedule, and a schedule cannot become a
 * watch.
 */
export class OtherTaskKind extends Schema.TaggedError<OtherTaskKind>()("OtherTaskKind", {
  id: Schema.Int,
  kind: Schema.Literals(["watch", "schedule"])
}) implements ConvertibleToToolFailure {
  override get message(): string {
    return `the kind of task ${this.id} is ${this.kind}, and cannot change`
  }

  get toolFailure(): ToolFailure {
    const { id, kind } = this
    return new ToolFailure({
      code: "conflict",
      callerMessage: { key: "task_kind", params: { id, kind } },
      retryable: false
    })
  }
}

/** The task has fired `maxRuns` times; a higher `maxRuns` makes the task active again. */
export class TaskIsDone extends Schema.TaggedError<TaskIsDone>()("TaskIsDone", { id: Schema.Int, runs: Schema.Int })
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return `task ${this.id} is done: it has run ${this.runs} times`
  }

  get toolFailure(): ToolFailure {
    const { id, runs } = this
    return new ToolFailure({
      code: "conflict",
      callerMessage: { key: "task_done", params: { id, runs } },
      retryable: false
    })
  }
}

/** The account has the maximum number of open tasks. */
export class TasksFull extends Schema.TaggedError<TasksFull>()("TasksFull", {}) implements ConvertibleToToolFailure {
  override get message(): string {
    return `the account has ${taskLimits.open} open tasks, which is the maximum`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({
      code: "conflict",
      callerMessage: { key: "tasks_full", params: { limit: taskLimits.open } },
      retryable: false
    })
  }
}

/**
 * The key that requests the change has monthly credits of its own. A task that asks the analyst uses the account's
 * credits, so the key could use more than its limit.
 */
export class LimitedKey extends Schema.TaggedError<LimitedKey>()("LimitedKey", {}) implements ConvertibleToToolFailure {
  override get message(): string {
    return "a key with monthly credits cannot change a task that asks the analyst"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "conflict", callerMessage: { key: "task_limited_key" }, retryable: false })
  }
}

/** The errors that reject a change of a task. A rejected change writes nothing. */
export type TaskChangeError =
  | ActorEnded
  | RecordChanged
  | LimitedKey
  | NoSuchTask
  | OtherTaskKind
  | TaskIsDone
  | TasksFull
