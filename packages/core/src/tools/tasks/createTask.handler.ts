import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { orEndless } from "./arguments.ts"
import { awaitedOf } from "./awaited.ts"
import { createTask } from "./createTask.ts"
import { taskRow } from "./rows.ts"
import { keyOf, makeTaskWriting } from "./writing.ts"

export const handler = handlerOf(
  createTask,
  Effect.gen(function*() {
    const [write, prices, equities] = yield* Effect.all([makeTaskWriting, CoinPrices, EquityMarkets])
    return Effect.fnUntraced(function*({ kind, max_runs: maxRuns, prompt = null, spec, title }, context) {
      const { awaited, notes } = yield* awaitedOf({ prices, equities }, spec)
      const { task } = yield* write(context, {
        _tag: "Create",
        title: title.trim(),
        awaited,
        prompt,
        maxRuns: maxRuns === undefined ? (kind === "watch" ? 1 : null) : orEndless(maxRuns),
        lang: context.language,
        key: yield* keyOf(context),
        conversation: context.conversation
      }, "Task")
      return { task: taskRow(task, yield* Clock.currentTimeMillis), notes }
    })
  })
)
