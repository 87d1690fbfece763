import { Effect, Layer } from "effect"
import { TaskActors } from "../../engine/access/TaskActors.ts"
import { TaskStore } from "./TaskStore.ts"

/** Implements `TaskActors` with the `TaskStore`. An adapter of `TaskStore` provides both. */
export const layerTaskActors: Layer.Layer<never> = Layer.effect(
  TaskActors,
  Effect.map(Effect.service(TaskStore), (tasks) => ({
    find: (account: number, task: number) =>
      tasks.find(account, task).pipe(
        Effect.map((found) => found === null ? null : { key: found.key, isPaused: found.status === "paused" }),
        Effect.catchTag("NoTaskStore", () => Effect.succeed(null))
      )
  }))
)
