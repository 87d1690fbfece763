import { Clock, Effect } from "effect"
import { CodeSandbox } from "../../analysis/code/CodeSandbox.ts"
import { getFaultMessage, type ScriptFault } from "../../analysis/code/errors.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import { ToolFailure } from "../../engine/tool/failure.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { runCode, type ScriptErrorCode } from "./runCode.ts"
import { makeScriptFunctions, type PartFailed } from "./scriptFunctions.ts"

const errorCodes: Readonly<Record<ScriptFault["_tag"], ScriptErrorCode>> = {
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

const toScriptError = (fault: ScriptFault, language: Language) => ({
  value: null,
  script_error: {
    code: errorCodes[fault._tag],
    message: formatMessage(getFaultMessage(fault), language),
    line: fault._tag === "Threw" ? fault.line : null
  }
})

/**
 * The tool failure for a script that failed because of an outage. A failed call is free, so the message contains no
 * text from the script.
 */
const outageFailure = new ToolFailure({
  code: "source_unavailable",
  callerMessage: { key: "script_outage" },
  retryable: true
})

/**
 * Handles a failed tool call that the script did not catch. A script run is charged unless an outage caused the
 * failure.
 */
const handleFailedCall = ({ isOutage, message }: PartFailed) =>
  isOutage
    ? Effect.fail(outageFailure)
    : Effect.succeed({ value: null, script_error: { code: "call" as const, message, line: null } })

/** Splits the time limit of a call into the limit for the script and the maximum wait in the queue. */
const splitTimeLimit = (callMs: number, timeoutMs: number) => {
  const limitMs = Math.min(timeoutMs, callMs)
  return { limitMs, maxWaitMs: callMs - limitMs }
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
        ...splitTimeLimit(context.limitMs, timeout_ms),
        owner: context.principal.account,
        functions: makeScriptFunctions(context),
        onStart: context.commit,
        onLog: (line: string) => void logs.push(line)
      }
      const result = yield* sandbox.run(script).pipe(
        Effect.map((value) => ({ value, script_error: null })),
        Effect.catchTags({
          ScriptError: ({ fault }) => Effect.succeed(toScriptError(fault, context.language)),
          PartFailed: handleFailedCall
        })
      )
      return { ...result, logs, took_ms: Math.max(0, (yield* Clock.currentTimeMillis) - startedAt) }
    })
  })
)
