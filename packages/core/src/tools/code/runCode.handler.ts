import { Clock, Effect } from "effect"
import { CodeSandbox } from "../../analysis/code/CodeSandbox.ts"
import { faultMessage, type ScriptFault } from "../../analysis/code/errors.ts"
import { say } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import { ToolFailure } from "../../engine/tool/failure.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { runCode, type ScriptErrorCode } from "./runCode.ts"
import { type PartFailed, scriptFunctions } from "./scriptFunctions.ts"

const codes: Readonly<Record<ScriptFault["_tag"], ScriptErrorCode>> = {
  Threw: "threw",
  Timeout: "timeout",
  Memory: "memory",
  Stack: "stack",
  Log: "log",
  Value: "value",
  ValueSize: "value",
  ValueDepth: "value",
  Stalled: "stalled",
  Broke: "broke"
}

const resultOf = (fault: ScriptFault, language: Language) => ({
  value: null,
  script_error: {
    code: codes[fault._tag],
    message: say(faultMessage(fault), language),
    line: fault._tag === "Threw" ? fault.line : null
  }
})

/** The failure of a script that an outage ended. It is free, so its message must not contain text of the script. */
const outage = new ToolFailure({
  code: "source_unavailable",
  says: { key: "script_outage" },
  retryable: true
})

/** Handles a failed call that the script did not catch. All causes except an outage are charged. */
const failedCall = ({ isOutage, message }: PartFailed) =>
  isOutage
    ? Effect.fail(outage)
    : Effect.succeed({ value: null, script_error: { code: "call" as const, message, line: null } })

/** Limits the wait in the queue, so that the script's time limit fits within the call's time limit. */
const limitsOf = (callMs: number, timeoutMs: number) => {
  const limitMs = Math.min(timeoutMs, callMs)
  return { limitMs, waitMs: callMs - limitMs }
}

export const handler = handlerOf(
  runCode,
  Effect.gen(function*() {
    const sandbox = yield* CodeSandbox
    return Effect.fnUntraced(function*({ code, inputs = {}, timeout_ms }, context) {
      const startedAt = yield* Clock.currentTimeMillis
      const logs: Array<string> = []
      const script = {
        code,
        inputs,
        ...limitsOf(context.limitMs, timeout_ms),
        owner: context.principal.account,
        functions: scriptFunctions(context),
        begun: context.commit,
        log: (line: string) => void logs.push(line)
      }
      const result = yield* sandbox.run(script).pipe(
        Effect.map((value) => ({ value, script_error: null })),
        Effect.catchTags({
          ScriptError: ({ fault }) => Effect.succeed(resultOf(fault, context.language)),
          PartFailed: failedCall
        })
      )
      return { ...result, logs, took_ms: Math.max(0, (yield* Clock.currentTimeMillis) - startedAt) }
    })
  })
)
