import { assert, it } from "@effect/vitest"
import { CodeSandbox } from "@tapeline/core/analysis"
import { codeSandboxContract } from "@tapeline/testing/contracts/codeSandbox"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import { Deferred, Effect, Fiber } from "effect"
import { layerSandbox } from "../src/index.ts"

/** The full test run tests all hostile scripts, and a usual test run tests an eighth of the scripts. */
const nth = isFullRun ? 1 : 8
const first = seed % nth

codeSandboxContract("QuickJS in threads", (options) => layerSandbox({ ...options, memoryMb: 32 }), { first, nth })

it.live("reports a WebAssembly trap before the script's first wait as a memory error of the script", () =>
  Effect.gen(function*() {
    const sandbox = yield* CodeSandbox
    // The script exhausts its memory at a point where QuickJS fails with "memory access out of bounds".
    const code = [
      "const keep = []; const eat = () => {",
      " for (let n = 1 << 22; n >= 8; n >>= 1) { try { for (;;) keep.push(new ArrayBuffer(n)) } catch {} }",
      " for (let i = 0;;) { try { keep.push({}) } catch { break } } }; eat(); throw 1"
    ].join("")
    const answer = () => Effect.succeed(1)
    const functions = { price: { maxCalls: 1, call: answer }, call: { maxCalls: 1, call: answer } }
    const run = sandbox.run({ code, inputs: {}, limitMs: 8_000, maxWaitMs: 1_000, owner: 1, functions })
    assert.deepInclude(yield* Effect.flip(run), { _tag: "ScriptError", fault: { _tag: "Memory", limitMb: 64 } })
  }).pipe(Effect.provide(layerSandbox({ memoryMb: 64 }))))

const spin = Effect.fnUntraced(function*(owner: number) {
  const sandbox = yield* CodeSandbox
  const hasStarted = yield* Deferred.make<void>()
  const run = sandbox.run<never>({
    code: "for (;;);",
    inputs: {},
    limitMs: 20_000,
    maxWaitMs: 20_000,
    owner,
    functions: {},
    onStart: () => Deferred.doneUnsafe(hasStarted, Effect.void)
  })
  const fiber = yield* Effect.forkChild(run, { startImmediately: true })
  return { fiber, hasStarted }
})

it.live("runs scripts of one owner in at most half of the sandboxes, rounded up", () =>
  Effect.gen(function*() {
    const fibers = yield* Effect.replicateEffect(spin(1), 3)
    const other = yield* spin(2)
    yield* Effect.forEach([fibers[0]!, fibers[1]!, other], ({ hasStarted }) => Deferred.await(hasStarted))
    assert.isFalse(Deferred.isDoneUnsafe(fibers[2]!.hasStarted))
    yield* Fiber.interrupt(fibers[0]!.fiber)
    yield* Deferred.await(fibers[2]!.hasStarted)
    yield* Fiber.interruptAll([fibers[1]!, fibers[2]!, other].map(({ fiber }) => fiber))
  }).pipe(Effect.provide(layerSandbox({ sandboxes: 3 }))))

it.live("ends a script after one second while another owner waits", () =>
  Effect.gen(function*() {
    const first = yield* spin(1)
    yield* Deferred.await(first.hasStarted)
    const second = yield* spin(2)
    const error = yield* Effect.flip(Fiber.join(first.fiber))
    assert(error._tag === "SandboxCrowded", error._tag)
    assert.isAtLeast(error.afterMs, 1_000)
    yield* Fiber.interrupt(second.fiber)
  }).pipe(Effect.provide(layerSandbox({ sandboxes: 1 }))))
