import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { zeroToUnlimited } from "./arguments.ts"
import { createTask } from "./createTask.ts"
import { toTaskRow } from "./rows.ts"
import { readTrigger } from "./trigger.ts"
import { makeTaskWriter, readKeyId } from "./writeTask.ts"

export const handler = handlerOf(
  createTask,
  Effect.gen(function*() {
    const [writeTask, prices, equities] = yield* Effect.all([makeTaskWriter, CoinPrices, EquityMarkets])
    return Effect.fnUntraced(function*({ kind, max_runs: maxRuns, prompt = null, spec, title }, context) {
      const { trigger, notes } = yield* readTrigger({ prices, equities }, spec)
      const { task } = yield* writeTask(context, {
        _tag: "Create",
        title: title.trim(),
        trigger,
        prompt,
        maxRuns: maxRuns === undefined ? (kind === "watch" ? 1 : null) : zeroToUnlimited(maxRuns),
        lang: context.language,
        key: yield* readKeyId(context),
        conversation: context.conversation
      }, "Task")
      return { task: toTaskRow(task, yield* Clock.currentTimeMillis), notes }
    })
  })
)
