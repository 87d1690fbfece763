import { Clock, Effect } from "effect"
import { grants } from "../../engine/access/scope.ts"
import { ToolFailure } from "../../engine/tool/failure.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { TaskStore } from "../../personal/tasks/TaskStore.ts"
import { orEndless } from "./arguments.ts"
import { awaitedOf } from "./awaited.ts"
import { taskRow } from "./rows.ts"
import { updateTask } from "./updateTask.ts"
import { keyOf, makeTaskWriting } from "./writing.ts"

const needsChat = (id: number) =>
  new ToolFailure({ code: "conflict", says: { key: "task_needs_chat", params: { id } }, retryable: false })

export const handler = handlerOf(
  updateTask,
  Effect.gen(function*() {
    const [store, write] = yield* Effect.all([Effect.service(TaskStore), makeTaskWriting])
    const [prices, equities] = yield* Effect.all([CoinPrices, EquityMarkets])
    return Effect.fnUntraced(function*({ id, max_runs: maxRuns, prompt, spec, status, title }, context) {
      const { account, scopes } = context.principal
      const task = yield* store.find(account, id)
      // From now on the task runs with the scopes of the key that changes it.
      const asks = task !== null && (task.kind === "schedule" || (prompt ?? task.prompt ?? "") !== "")
      if (asks && (status ?? task.status) !== "paused" && !grants(scopes, ["agent:chat"])) return yield* needsChat(id)
      const found = spec === undefined ? null : yield* awaitedOf({ prices, equities }, spec)
      const written = yield* write(context, {
        _tag: "Update",
        id,
        key: yield* keyOf(context),
        ...(title === undefined ? {} : { title: title.trim() }),
        ...(found === null ? {} : { awaited: found.awaited }),
        ...(prompt === undefined ? {} : { prompt: prompt === "" ? null : prompt }),
        ...(maxRuns === undefined ? {} : { maxRuns: orEndless(maxRuns) }),
        ...(status === undefined ? {} : { status })
      }, "Task")
      return { task: taskRow(written.task, yield* Clock.currentTimeMillis), notes: found?.notes ?? [] }
    })
  })
)
