import { Clock, Effect } from "effect"
import { CodeSandbox } from "../../code/CodeSandbox.ts"
import { handlerOf } from "../../tool/implement.ts"
import { runCode } from "./runCode.ts"
import { scriptFunctions } from "./scriptFunctions.ts"

export const handler = handlerOf(
  runCode,
  Effect.gen(function*() {
    const sandbox = yield* CodeSandbox
    return Effect.fnUntraced(function*({ code, inputs = {}, timeout_ms }, context) {
      const startedAt = yield* Clock.currentTimeMillis
      const { logs, value } = yield* sandbox.run({
        code,
        inputs,
        limitMs: timeout_ms,
        owner: context.principal.account,
        functions: scriptFunctions(context)
      })
      return { value, logs, took_ms: Math.max(0, (yield* Clock.currentTimeMillis) - startedAt) }
    })
  })
)
