import { Schema } from "effect"
import type { ActorEnded } from "../../engine/access/ActorEnded.ts"
import { type Explained, ToolFailure } from "../../engine/tool/failure.ts"
import { taskBounds } from "./task.ts"

/** This engine keeps no tasks. */
export class NoTaskStore extends Schema.TaggedError<NoTaskStore>()("NoTaskStore", {}) implements Explained {
  override get message(): string {
    return "this engine has no TaskStore: provide one, such as PgStores of @tapeline/postgres"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", says: { key: "tasks_none" }, retryable: false })
  }
}

/** The account has no such task: it never had, it was deleted, or it is another account's. */
export class NoSuchTask extends Schema.TaggedError<NoSuchTask>()("NoSuchTask", { id: Schema.Int })
  implements Explained
{
  override get message(): string {
    return `there is no task ${this.id}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({
      code: "not_found",
      says: { key: "task_not_found", params: { id: this.id } },
      retryable: false
    })
  }
}

/** A spec of the other kind: a watch stays a watch, and a schedule a schedule. */
export class OtherTaskKind extends Schema.TaggedError<OtherTaskKind>()("OtherTaskKind", {
  id: Schema.Int,
  kind: Schema.Literals(["watch", "schedule"])
}) implements Explained {
  override get message(): string {
    return `task ${this.id} is a ${this.kind} and stays one`
  }

  get toolFailure(): ToolFailure {
    const { id, kind } = this
    return new ToolFailure({ code: "conflict", says: { key: "task_kind", params: { id, kind } }, retryable: false })
  }
}

/** A task that has fired as often as it was to is made active by raising `maxRuns`. */
export class TaskIsDone extends Schema.TaggedError<TaskIsDone>()("TaskIsDone", { id: Schema.Int, runs: Schema.Int })
  implements Explained
{
  override get message(): string {
    return `task ${this.id} is done: it has run ${this.runs} times`
  }

  get toolFailure(): ToolFailure {
    const { id, runs } = this
    return new ToolFailure({ code: "conflict", says: { key: "task_done", params: { id, runs } }, retryable: false })
  }
}

/** The account has as many open tasks as it may. */
export class TasksFull extends Schema.TaggedError<TasksFull>()("TasksFull", {}) implements Explained {
  override get message(): string {
    return `the account has ${taskBounds.open} open tasks, as many as it may`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({
      code: "conflict",
      says: { key: "tasks_full", params: { limit: taskBounds.open } },
      retryable: false
    })
  }
}

/** What a change may be refused with: nothing was written then. */
export type TaskRefusal = ActorEnded | NoSuchTask | OtherTaskKind | TaskIsDone | TasksFull
