import { Clock, Effect } from "effect"
import { CodeSandbox } from "../../code/CodeSandbox.ts"
import { faultMessage, type ScriptFault } from "../../code/errors.ts"
import { say } from "../../messages/language.ts"
import type { Language } from "../../messages/languageCode.ts"
import { ToolFailure } from "../../tool/failure.ts"
import { handlerOf } from "../../tool/implement.ts"
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

/** Fails because a source is unavailable. The failure is free, so its message must not contain text of the script. */
const sourceAway = (code: "source_unavailable" | "timeout") =>
  Effect.fail(new ToolFailure({ code, says: { key: "script_source_away" }, retryable: true }))

/** Charges a script for its own failure. A script that waits for a call at its time limit waits for a source. */
const failedScript = (fault: ScriptFault, language: Language) =>
  fault._tag === "Timeout" && fault.waits ? sourceAway("timeout") : Effect.succeed(resultOf(fault, language))

/** Handles a failed call that the script did not catch. */
const failedCall = ({ code, message, retryable }: PartFailed) =>
  retryable && (code === "source_unavailable" || code === "timeout")
    ? sourceAway(code)
    : Effect.succeed({ value: null, script_error: { code: "call" as const, message, line: null } })

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
        limitMs: timeout_ms,
        owner: context.principal.account,
        functions: scriptFunctions(context),
        log: (line: string) => void logs.push(line)
      }
      const result = yield* sandbox.run(script).pipe(
        Effect.map((value) => ({ value, script_error: null })),
        Effect.catchTags({
          ScriptError: ({ fault }) => failedScript(fault, context.language),
          PartFailed: failedCall
        })
      )
      return { ...result, logs, took_ms: Math.max(0, (yield* Clock.currentTimeMillis) - startedAt) }
    })
  })
)
