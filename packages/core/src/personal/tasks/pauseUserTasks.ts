import { Clock, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { TaskStore } from "./TaskStore.ts"

/**
 * Pauses the tasks that were created or last changed in a session, and returns the number of paused tasks. Running
 * firings of the paused tasks stop. If the function fails, a repeated call pauses the remaining tasks.
 */
export const pauseUserTasks = Effect.fnUntraced(function*(
  store: typeof TaskStore["Service"],
  account: number
): Effect.fn.Return<number, StoreUnavailable> {
  const tasks = yield* Effect.catchTag(store.list(account, null), "NoTaskStore", () => Effect.succeed([]))
  const now = yield* Clock.currentTimeMillis
  const pausedCounts = yield* Effect.forEach(
    tasks.filter(({ key, status }) => key === null && status !== "paused"),
    ({ id, version }) =>
      store.write(account, `pause ${id}.${version} ${now}`, { _tag: "Update", id, key: null, status: "paused" }).pipe(
        Effect.as<number>(1),
        // Errors other than `StoreUnavailable` mean that the task was deleted or is done, so there is nothing to pause.
        Effect.catch((error) => error._tag === "StoreUnavailable" ? Effect.fail(error) : Effect.succeed(0))
      )
  )
  return pausedCounts.reduce((sum, count) => sum + count, 0)
})
