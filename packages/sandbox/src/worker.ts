// Runs one script in QuickJS in a separate thread, and sends only texts of limited number and length to the host.
import type { ScriptFault } from "@tapeline/core/analysis"
import { parentPort, workerData } from "node:worker_threads"
import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle } from "quickjs-emscripten-core"
import { prelude } from "./prelude.ts"
import type { CallResult, ThreadMessage, WorkerData } from "./protocol.ts"
import { loadQuant, type QuickJsMachine, runJobs, startQuickJs, startScript } from "./quickJs.ts"
import { measureJsonDepth, sanitizeText, toScriptFault, toThreadFault } from "./scriptResult.ts"

// The cast is safe because `SandboxThread` starts the thread with a `WorkerData`.
const data = workerData as WorkerData
// The host sends the limits, because importing the limits would load core's dependencies, which takes longer than most
// scripts run.
const { argumentsLength, logBytes, logLines, valueBytes, valueDepth } = data.limits

let hasEnded = false
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const sendMessage = (message: ThreadMessage): void => parentPort!.postMessage(message)
const endScript = (message: ThreadMessage): void => {
  if (hasEnded) return
  hasEnded = true
  sendMessage(message)
}
const fail = (fault: ScriptFault, callId: number | null = null): void => endScript({ _tag: "Failed", fault, callId })

let lineCount = 0
let loggedBytes = 0
const log = (json: string, tooLong: boolean): void => {
  if (hasEnded) return
  loggedBytes += tooLong ? Infinity : Buffer.byteLength(json)
  lineCount++
  if (loggedBytes > logBytes || lineCount > logLines) {
    fail({ _tag: "Log", limitKib: logBytes / 1024, limitLines: logLines })
  } else sendMessage({ _tag: "Logged", line: String(JSON.parse(json)) })
}

const callsLeft = new Map(data.functions.map(({ atMost, name }) => [name, atMost]))
const pendingCalls = new Map<number, QuickJSDeferredPromise>()
let callCount = 0

/**
 * Returns whether a text is a JSON array. A script can change how its arrays are serialized, so the thread checks the
 * arguments of each call.
 */
const isJsonArray = (json: string): boolean => {
  try {
    return Array.isArray(JSON.parse(json))
  } catch {
    return false
  }
}

/** Passes a script's call to the host, and returns a promise that contains an error if the call is not allowed. */
const startCall = (vm: QuickJSContext, name: string, args: string): QuickJSHandle => {
  const deferred = vm.newPromise()
  const rejectCall = (message: string) =>
    deferred.resolve(vm.newString(JSON.stringify({ error: { message, id: null } })))
  const remaining = callsLeft.get(name) ?? 0
  if (hasEnded || remaining <= 0) rejectCall(`no more calls of ${name} in this run`)
  else if (args.length > argumentsLength) {
    rejectCall(`the arguments of ${name} are longer than ${argumentsLength} characters`)
  } else if (!isJsonArray(args)) rejectCall(`the arguments of ${name} cannot be represented in JSON`)
  else {
    callsLeft.set(name, remaining - 1)
    pendingCalls.set(++callCount, deferred)
    sendMessage({ _tag: "Asked", id: callCount, name, args })
  }
  return deferred.handle
}

interface RunningScript {
  readonly vm: QuickJSContext
  /** The promise of the script's result as text. */
  readonly outcome: QuickJSHandle
  readonly onFailed: (error: QuickJSHandle) => void
}

/** Ends a script that has finished, or that waits although none of its calls is pending. */
const settleScript = ({ onFailed, outcome, vm }: RunningScript): void => {
  const thrown = runJobs(vm.runtime)
  if (thrown !== undefined) return onFailed(thrown)
  const state = vm.getPromiseState(outcome)
  if (state.type === "rejected") return onFailed(state.error)
  if (state.type === "pending") {
    if (pendingCalls.size === 0) fail({ _tag: "Stalled" })
    return
  }
  const finished = vm.getString(state.value)
  const json = finished.slice(1)
  if (finished.startsWith("r")) return fail({ _tag: "Value", reason: sanitizeText(json) })
  if (finished === "l" || Buffer.byteLength(json) > valueBytes) {
    return fail({ _tag: "ValueSize", limitKib: valueBytes / 1024 })
  }
  if (measureJsonDepth(json) > valueDepth) return fail({ _tag: "ValueDepth", limit: valueDepth })
  // The parsing checks the JSON text, because the script can replace the built-in functions that wrote the text.
  JSON.parse(json)
  endScript({ _tag: "Ended", value: json })
}

interface PreparedMachine {
  readonly machine: QuickJsMachine
  /** The function that converts the script's value to text. */
  readonly finish: QuickJSHandle
  readonly onFailed: (error: QuickJSHandle) => void
}

const prepareMachine = async (): Promise<PreparedMachine> => {
  const machine = await startQuickJs(data.engine, data.memoryMb)
  const { vm } = machine
  const makePrelude = vm.unwrapResult(vm.evalCode(prelude, "sandbox"))
  const preludeFunctions = vm.unwrapResult(vm.callFunction(
    makePrelude,
    vm.undefined,
    vm.newFunction("log", (json, tooLong) => log(vm.getString(json), vm.dump(tooLong) === true)),
    vm.newFunction("ask", (name, args) => startCall(vm, vm.getString(name), vm.getString(args))),
    vm.unwrapResult(vm.evalCode(JSON.stringify(data.functions.map(({ name }) => name)), "sandbox")),
    vm.newString(data.inputs),
    vm.newNumber(logBytes),
    vm.newNumber(valueBytes)
  ))
  const [describe, finish] = [vm.getProp(preludeFunctions, "describe"), vm.getProp(preludeFunctions, "finish")]
  if (data.quant !== undefined) loadQuant(vm, data.quant)
  const onFailed = (error: QuickJSHandle): void => {
    const described = vm.callFunction(describe, vm.undefined, error)
    if (described.error !== undefined) {
      return fail(machine.isFull() ? { _tag: "Memory", limitMb: data.memoryMb } : { _tag: "Broke" })
    }
    const { callId, fault } = toScriptFault(vm.getString(described.value), machine.isFull(), data.memoryMb)
    fail(fault, callId)
  }
  return { machine, finish, onFailed }
}

/** Runs the script until the script ends or waits for a promise, and returns undefined if the script failed. */
const runUntilPending = ({ onFailed, finish, machine: { vm } }: PreparedMachine): RunningScript | undefined => {
  const started = startScript(vm, data.code)
  if ("syntaxError" in started) {
    onFailed(started.syntaxError)
    return undefined
  }
  const isWrapped = started.isWrapped ? vm.true : vm.false
  const outcome = vm.callFunction(finish, vm.undefined, started.promise, isWrapped)
  if (outcome.error === undefined) return { vm, outcome: outcome.value, onFailed }
  onFailed(outcome.error)
  return undefined
}

const preparedMachine = await prepareMachine()

/** Runs a step of the script and reports any exception as a failure of the script. */
const runGuarded = (run: () => void): void => {
  try {
    run()
  } catch (error) {
    // After the script has begun, every exception is caused by the script.
    fail(
      preparedMachine.machine.isFull()
        ? { _tag: "Memory", limitMb: data.memoryMb }
        : toThreadFault(error, data.memoryMb)
    )
  }
}

sendMessage({ _tag: "Began" })
runGuarded(() => {
  const script = runUntilPending(preparedMachine)
  if (script === undefined) return
  parentPort!.on("message", ({ id, text }: CallResult) =>
    runGuarded(() => {
      const deferred = pendingCalls.get(id)
      if (deferred === undefined) return
      pendingCalls.delete(id)
      deferred.resolve(script.vm.newString(text))
      settleScript(script)
    }))
  settleScript(script)
})
