// The program of a sandbox thread: it runs one script, in QuickJS, and then ends. The script's data leaves the thread
// only as texts, whose number and length are limited.
import type { ScriptFault } from "@tapeline/core/analysis"
import { parentPort, workerData } from "node:worker_threads"
import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle } from "quickjs-emscripten-core"
import { depthOf } from "./depth.ts"
import { faultOfDescription, faultOfThrown, readable } from "./faults.ts"
import { begin, loadQuant, type Machine, runJobs, startMachine } from "./machine.ts"
import { prelude } from "./prelude.ts"
import type { Answered, Told, WorkerData } from "./protocol.ts"

// `SandboxThread` passes this value.
const data = workerData as WorkerData
// The limits are passed and not imported: core's dependencies take a thread longer to load than most scripts run.
const { argumentsLength, logBytes, logLines, valueBytes, valueDepth } = data.limits

let ended = false
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const tell = (told: Told): void => parentPort!.postMessage(told)
/** Reports how the script ended, once. Later reports are ignored. */
const end = (told: Told): void => {
  if (ended) return
  ended = true
  tell(told)
}
const fail = (fault: ScriptFault, asked: number | null = null): void => end({ _tag: "Failed", fault, asked })

let lines = 0
let logged = 0
const log = (json: string, tooLong: boolean): void => {
  if (ended) return
  logged += tooLong ? Infinity : Buffer.byteLength(json)
  lines++
  if (logged > logBytes || lines > logLines) {
    fail({ _tag: "Log", limitKib: logBytes / 1024, limitLines: logLines })
  } else tell({ _tag: "Logged", line: String(JSON.parse(json)) })
}

const left = new Map(data.functions.map(({ atMost, name }) => [name, atMost]))
const pending = new Map<number, QuickJSDeferredPromise>()
let asked = 0

/** Whether the arguments are a list. They always are, unless the script changed how lists are serialised. */
const isList = (json: string): boolean => {
  try {
    return Array.isArray(JSON.parse(json))
  } catch {
    return false
  }
}

/**
 * Passes a call of the script to the host. Returns the promise that the script's function awaits. If the call is not
 * allowed, the promise resolves with an error.
 */
const ask = (vm: QuickJSContext, name: string, args: string): QuickJSHandle => {
  const deferred = vm.newPromise()
  const refuse = (message: string) => deferred.resolve(vm.newString(JSON.stringify({ error: { message, id: null } })))
  const calls = left.get(name) ?? 0
  if (ended || calls <= 0) refuse(`no more calls of ${name} in this run`)
  else if (args.length > argumentsLength) {
    refuse(`the arguments of ${name} are longer than ${argumentsLength} characters`)
  } else if (!isList(args)) refuse(`the arguments of ${name} are nothing that JSON can say`)
  else {
    left.set(name, calls - 1)
    pending.set(++asked, deferred)
    tell({ _tag: "Asked", id: asked, name, args })
  }
  return deferred.handle
}

interface Script {
  readonly vm: QuickJSContext
  /** A promise of the outcome, in the form that the prelude's `finish` returns. */
  readonly outcome: QuickJSHandle
  readonly failed: (error: QuickJSHandle) => void
}

/** Ends a script that has a value, or whose value no pending call can provide. */
const settle = ({ failed, outcome, vm }: Script): void => {
  const thrown = runJobs(vm.runtime)
  if (thrown !== undefined) return failed(thrown)
  const state = vm.getPromiseState(outcome)
  if (state.type === "rejected") return failed(state.error)
  if (state.type === "pending") {
    if (pending.size === 0) fail({ _tag: "Stalled" })
    return
  }
  const finished = vm.getString(state.value)
  const json = finished.slice(1)
  if (finished.startsWith("r")) return fail({ _tag: "Value", reason: readable(json) })
  if (finished === "l" || Buffer.byteLength(json) > valueBytes) {
    return fail({ _tag: "ValueSize", limitKib: valueBytes / 1024 })
  }
  if (depthOf(json) > valueDepth) return fail({ _tag: "ValueDepth", limit: valueDepth })
  // Checks that the value is JSON, whatever the script changed in its environment.
  JSON.parse(json)
  end({ _tag: "Ended", value: json })
}

/** A machine in which a script can begin. */
interface Prepared {
  readonly machine: Machine
  /** The function that returns the value of a script as JSON. */
  readonly finish: QuickJSHandle
  readonly failed: (error: QuickJSHandle) => void
}

const prepare = async (): Promise<Prepared> => {
  const machine = await startMachine(data.engine, data.memoryMb)
  const { vm } = machine
  const make = vm.unwrapResult(vm.evalCode(prelude, "sandbox"))
  const world = vm.unwrapResult(vm.callFunction(
    make,
    vm.undefined,
    vm.newFunction("log", (json, tooLong) => log(vm.getString(json), vm.dump(tooLong) === true)),
    vm.newFunction("ask", (name, args) => ask(vm, vm.getString(name), vm.getString(args))),
    vm.unwrapResult(vm.evalCode(JSON.stringify(data.functions.map(({ name }) => name)), "sandbox")),
    vm.newString(data.inputs),
    vm.newNumber(logBytes),
    vm.newNumber(valueBytes)
  ))
  const [describe, finish] = [vm.getProp(world, "describe"), vm.getProp(world, "finish")]
  if (data.quant !== undefined) loadQuant(vm, data.quant)
  const failed = (error: QuickJSHandle): void => {
    const told = vm.callFunction(describe, vm.undefined, error)
    if (told.error !== undefined) {
      return fail(machine.isFull() ? { _tag: "Memory", limitMb: data.memoryMb } : { _tag: "Broke" })
    }
    const { asked, fault } = faultOfDescription(vm.getString(told.value), machine.isFull(), data.memoryMb)
    fail(fault, asked)
  }
  return { machine, finish, failed }
}

/** Runs the script until it waits for a promise or ends. Returns undefined if it failed. */
const start = ({ failed, finish, machine: { vm } }: Prepared): Script | undefined => {
  const begun = begin(vm, data.code)
  if ("wrong" in begun) {
    failed(begun.wrong)
    return undefined
  }
  const wrapped = begun.wrapped ? vm.true : vm.false
  const outcome = vm.callFunction(finish, vm.undefined, begun.promise, wrapped)
  if (outcome.error === undefined) return { vm, outcome: outcome.value, failed }
  failed(outcome.error)
  return undefined
}

const prepared = await prepare()

/** The script causes all errors of this thread after it began, also those that QuickJS does not catch. */
const guarded = (run: () => void): void => {
  try {
    run()
  } catch (error) {
    fail(prepared.machine.isFull() ? { _tag: "Memory", limitMb: data.memoryMb } : faultOfThrown(error, data.memoryMb))
  }
}

tell({ _tag: "Began" })
guarded(() => {
  const script = start(prepared)
  if (script === undefined) return
  parentPort!.on("message", ({ id, text }: Answered) =>
    guarded(() => {
      const deferred = pending.get(id)
      if (deferred === undefined) return
      pending.delete(id)
      deferred.resolve(script.vm.newString(text))
      settle(script)
    }))
  settle(script)
})
