import { Clock, Effect } from "effect"
import { hasAnyScope } from "../../engine/access/scope.ts"
import { ToolFailure } from "../../engine/tool/failure.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { TaskStore } from "../../personal/tasks/TaskStore.ts"
import { zeroToUnlimited } from "./arguments.ts"
import { toTaskRow } from "./rows.ts"
import { readTrigger } from "./trigger.ts"
import { updateTask } from "./updateTask.ts"
import { makeTaskVersionReader, makeTaskWriter, readKeyId } from "./writeTask.ts"

const makeNeedsChat = (id: number) =>
  new ToolFailure({ code: "conflict", callerMessage: { key: "task_needs_chat", params: { id } }, retryable: false })

export const handler = handlerOf(
  updateTask,
  Effect.gen(function*() {
    const [store, writeTask] = yield* Effect.all([Effect.service(TaskStore), makeTaskWriter])
    const [prices, equities] = yield* Effect.all([CoinPrices, EquityMarkets])
    return Effect.fnUntraced(function*({ id, max_runs: maxRuns, prompt, spec, status, title }, context) {
      const { account, scopes } = context.principal
      const task = yield* store.find(account, id)
      // After the change, the task runs with the scopes of the key that changes the task.
      const willAskAnalyst = task !== null && (task.kind === "schedule" || (prompt ?? task.prompt ?? "") !== "")
      if (willAskAnalyst && (status ?? task.status) !== "paused" && !hasAnyScope(scopes, ["agent:chat"])) {
        return yield* makeNeedsChat(id)
      }
      const newTrigger = spec === undefined ? null : yield* readTrigger({ prices, equities }, spec)
      const result = yield* writeTask(context, {
        _tag: "Update",
        id,
        key: yield* readKeyId(context),
        ...(title === undefined ? {} : { title: title.trim() }),
        ...(newTrigger === null ? {} : { trigger: newTrigger.trigger }),
        ...(prompt === undefined ? {} : { prompt: prompt === "" ? null : prompt }),
        ...(maxRuns === undefined ? {} : { maxRuns: zeroToUnlimited(maxRuns) }),
        ...(status === undefined ? {} : { status })
      }, "Task")
      return { task: toTaskRow(result.task, yield* Clock.currentTimeMillis), notes: newTrigger?.notes ?? [] }
    })
  }),
  makeTaskVersionReader
)
