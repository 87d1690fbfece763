import { assert, describe, it } from "@effect/vitest"
import { CodeSandbox, type HostFunction, type SandboxError, type Script, scriptLimits } from "@tapeline/core/analysis"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, type Schema, Scope } from "effect"
import {
  builtinReplacement,
  endlessScripts,
  escapeAttempts,
  failingBuiltinReplacement,
  harmlessFaults,
  logFlooding,
  resourceExhaustion
} from "./hostileScripts.ts"

/** The options of a code sandbox in a test. */
export interface SandboxUnderTest {
  /** The maximum number of scripts that run at the same time. */
  readonly sandboxes: number
  /** The maximum number of waiting scripts, a quarter of which may belong to one owner. */
  readonly maxWaiting: number
}

class HostFunctionError extends Error {
  readonly code = "no_data"
}

type ScriptOptions = Partial<Omit<Script<HostFunctionError>, "code">>

const run = (code: string, options: ScriptOptions = {}): Effect.Effect<Schema.Json, SandboxError | HostFunctionError> =>
  Effect.flatMap(
    CodeSandbox,
    (sandbox) =>
      sandbox.run({ inputs: {}, limitMs: 20_000, maxWaitMs: 120_000, owner: 1, functions: {}, ...options, code })
  )

const makeHostFunction = (
  call: HostFunction<HostFunctionError>["call"],
  maxCalls = 10
): HostFunction<HostFunctionError> => ({ maxCalls, call })

/**
 * Runs a script that waits in a host function. `hasStarted` waits until the script has begun, and `allowEnd` lets the
 * script end.
 */
const runUntilMeeting = (options: ScriptOptions = {}) =>
  Effect.gen(function*() {
    const hasBegun = yield* Deferred.make<void>()
    const mayContinue = yield* Deferred.make<void>()
    const functions = {
      meet: makeHostFunction(() => Effect.andThen(Deferred.succeed(hasBegun, undefined), Deferred.await(mayContinue)))
    }
    const fiber = yield* Effect.forkChild(run("await meet(); \"met\"", { ...options, functions }), {
      startImmediately: true
    })
    return { hasStarted: Deferred.await(hasBegun), allowEnd: Deferred.succeed(mayContinue, undefined), fiber }
  })

const assertFree = Effect.map(run("1 + 1"), (value) => assert.strictEqual(value, 2))

type WithSandbox = <A, E>(test: Effect.Effect<A, E>, options?: Partial<SandboxUnderTest>) => Effect.Effect<A, E>

const testLogs = (withSandbox: WithSandbox): void => {
  it.live("logs NUL, lone surrogates and the text after them", () =>
    withSandbox(Effect.gen(function*() {
      const logs: Array<string> = []
      yield* run("console.log(\"a\\u0000b\\ud800c\", 1)", { onLog: (line) => void logs.push(line) })
      assert.deepStrictEqual(logs, ["a\0b\ud800c 1"])
    })))
}

const testValues = (withSandbox: WithSandbox): void => {
  it.live("returns a script's return value or last expression, as JSON", () =>
    withSandbox(Effect.gen(function*() {
      const values: ReadonlyArray<readonly [code: string, value: unknown]> = [
        ["1 + 1", 2],
        ["", null],
        ["const a = await 5\na + 1 // the last line", 6],
        ["return await Promise.resolve([1, undefined, NaN]) // the last line", [1, null, null]],
        ["Promise.resolve({ a: new Float64Array([1.5, NaN]), b: undefined })", { a: [1.5, null] }],
        ["const f = (n) => { return n }\nf(\"\\u0000\\ud800\")", "\0\ud800"],
        ["({ toJSON: () => ({ __proto__: null, [\"__proto__\"]: 1 }) })", JSON.parse("{\"__proto__\":1}")]
      ]
      for (const [code, value] of values) assert.deepStrictEqual(yield* run(code), value, code)
      assert.notProperty({}, "polluted")
    })))

  it.live("provides inputs, quant and a log, and isolates each run from the next", () =>
    withSandbox(Effect.gen(function*() {
      const inputs = JSON.parse("{\"__proto__\":{\"polluted\":1},\"list\":[1,{\"a\":\"\\u2028\"}]}")
      const logs: Array<string> = []
      const first = yield* run(
        `console.log("a", 1, { b: [2n, () => 1] }, Symbol("s"), undefined, new Float64Array(1), new Error("e"))
        console.warn({ toString: 1, get a() { throw 1 } })
        console.log()
        Object.prototype.polluted = 1
        Array.prototype.map = JSON.stringify = Promise.prototype.then = 1
        globalThis.left = 1
        return { inputs, sma: quant.sma([1, 2, 3], 2), names: Object.keys(quant).length > 50 }`,
        { inputs, onLog: (line) => void logs.push(line) }
      )
      assert.deepStrictEqual(first, { inputs, sma: [null, 1.5, 2.5], names: true })
      assert.deepStrictEqual(logs, [
        "a 1 {\"b\":[\"2\",\"() => 1\"]} Symbol(s) undefined [0] Error: e",
        "[object]",
        ""
      ])
      const second = yield* run("[typeof left, ({}).polluted, [1].map((x) => x), typeof inputs.list]")
      assert.deepStrictEqual(second, ["undefined", null, [1], "undefined"])
      assert.notProperty({}, "polluted")
    })))

  it.live("runs host functions for a script, up to their call limit", () =>
    withSandbox(Effect.gen(function*() {
      const failure = new HostFunctionError("nobody knows")
      const functions = {
        double: makeHostFunction(([x]) => Effect.succeed(Number(x) * 2), 3),
        none: makeHostFunction(() => Effect.succeed(undefined)),
        fails: makeHostFunction(() => Effect.fail(failure)),
        dies: makeHostFunction(() => Effect.die(new Error("a bug")))
      }
      const result = yield* run(
        `const caught = (p) => p.catch((e) => [e instanceof Error, e.message, e.code])
        return [await Promise.all([1, 2, "3", 4].map((x) => caught(double(x)))), await none(), await caught(fails()),
          (await caught(none("x".repeat(${scriptLimits.argumentsLength}))))[0]]`,
        { functions }
      )
      assert.deepStrictEqual(result, [
        [2, 4, 6, [true, "no more calls of double in this run", null]],
        null,
        [true, "nobody knows", "no_data"],
        true
      ])
      assert.strictEqual(yield* Effect.flip(run("await fails()", { functions })), failure)
      const exit = yield* Effect.exit(run("await dies()", { functions }))
      assert(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.include(Cause.pretty(exit.cause), "a bug")
    })))
}

/** The expected result of `escapeAttempts` in a secure sandbox. */
const expectedEscapes = {
  globals: "",
  "constructor of a list": "",
  "constructor of a function of ours": "",
  "constructor of the sandbox's function": "",
  "asynchronous constructor": "",
  "generator's constructor": "",
  "asynchronous generator's constructor": "undefinedundefined",
  "sloppy this": true,
  eval: "undefinedundefined",
  "constructor of a rejection": "undefined",
  "constructor of a reply": "undefined",
  caller: "none",
  stack: false,
  "stack's sites": "string",
  "inputs' constructor": "undefined",
  weak: "objectobject",
  proxied: 1
}

type SelectScripts = <A>(all: ReadonlyArray<A>) => ReadonlyArray<A>

const testRestrictions = (withSandbox: WithSandbox, sample: SelectScripts): void => {
  it.live("hides the host program from scripts", () =>
    withSandbox(Effect.gen(function*() {
      const functions = {
        ask: makeHostFunction(([x]) =>
          x === 0 ? Effect.fail(new HostFunctionError("no")) : Effect.succeed({ fine: true })
        )
      }
      assert.deepStrictEqual(yield* run(escapeAttempts, { functions, inputs: { a: 1 } }), expectedEscapes)
    })))

  it.live("returns correct results if a script replaces built-in objects", () =>
    withSandbox(
      Effect.forEach(sample(builtinReplacement), ([code, value]) =>
        Effect.map(
          run(code, { functions: { ask: makeHostFunction(() => Effect.succeed({ fine: true })) } }),
          (result) => assert.deepStrictEqual(result, value, code)
        ), { concurrency: 2, discard: true }),
      { sandboxes: 2 }
    ))

  for (
    const [kind, scripts] of Object.entries({
      wrong: harmlessFaults,
      breaking: resourceExhaustion,
      flooding: logFlooding,
      forgingFailure: failingBuiltinReplacement
    })
  ) {
    it.live(`fails a script with its fault: ${kind}`, () =>
      withSandbox(
        Effect.gen(function*() {
          yield* Effect.forEach(sample(Object.entries(scripts)), ([scriptName, { code, fault, message }]) =>
            Effect.gen(function*() {
              const error = yield* Effect.flip(run(code))
              assert(
                !(error instanceof HostFunctionError) && error._tag === "ScriptError",
                `${scriptName}: ${error.message}`
              )
              assert.strictEqual(error.fault._tag, fault, `${scriptName}: ${JSON.stringify(error.fault)}`)
              if (message !== undefined) {
                assert.include(JSON.stringify(error.fault), message, scriptName)
              }
            }), { concurrency: 2 })
          const at = yield* Effect.flip(run("const a = 1\n\nthrow new TypeError(\"no good\")"))
          assert.deepInclude(at, { fault: { _tag: "Threw", error: "TypeError: no good", line: 3 } })
          yield* assertFree
        }),
        { sandboxes: 2 }
      ), 120_000)
  }

  it.live("ends every kind of endless script at its time limit, while other scripts run", () =>
    withSandbox(
      Effect.gen(function*() {
        const functions = { ask: makeHostFunction(() => Effect.succeed(1)) }
        // Scripts of other owners keep running, and get at least their full time.
        const otherScripts = yield* Effect.forkChild(Effect.repeat(assertFree, { times: 3 }), {
          startImmediately: true
        })
        yield* Effect.forEach(sample(Object.entries(endlessScripts)), ([loopName, code]) =>
          Effect.gen(function*() {
            const logs: Array<string> = []
            const onLog = (line: string) => void logs.push(line)
            const logged = `console.log("begun"); ${code}`
            const error = yield* Effect.flip(run(logged, { limitMs: 100, functions, owner: 2, onLog }))
            assert(
              !(error instanceof HostFunctionError) && error._tag === "ScriptError",
              `${loopName}: ${error.message}`
            )
            assert.deepInclude(error.fault, { _tag: "Timeout", limitMs: 100 })
            return logs[0]
            // On a busy machine, the time limit can end a script before its first line.
          }).pipe(
            Effect.repeat({ times: 20, until: (line) => line === "begun" }),
            Effect.tap((line) => Effect.sync(() => assert.strictEqual(line, "begun")))
          ), { concurrency: 3 })
        yield* Fiber.join(otherScripts)
      }),
      { sandboxes: 4 }
    ), 120_000)
}

const testQueue = (withSandbox: WithSandbox): void => {
  it.live("limits the queue per owner and in total, and shares it fairly between owners", () =>
    withSandbox(
      Effect.gen(function*() {
        const first = yield* runUntilMeeting()
        yield* first.hasStarted
        const order: Array<string> = []
        const queueScript = (label: string, owner: number) =>
          Effect.forkChild(Effect.tap(run("1", { owner }), () => Effect.sync(() => order.push(label))), {
            startImmediately: true
          })
        const a = yield* queueScript("a", 1)
        const b = yield* queueScript("b", 1)
        const ownerLimitError = yield* Effect.flip(run("1"))
        assert(!(ownerLimitError instanceof HostFunctionError) && ownerLimitError._tag === "SandboxBusy")
        assert.deepInclude(ownerLimitError.toolFailure, { code: "source_unavailable", retryable: true })
        const timeoutError = yield* Effect.flip(run("1", { owner: 2, maxWaitMs: 10 }))
        assert(!(timeoutError instanceof HostFunctionError) && timeoutError._tag === "SandboxBusy")
        const others = [yield* queueScript("c", 2), yield* queueScript("d", 3)]
        for (const owner of [4, 5, 6, 7]) others.push(yield* queueScript("e", owner))
        // The queue is full. The script of a new owner replaces a waiting script of the owner with the most waiting
        // scripts.
        others.push(yield* queueScript("f", 8))
        const evictionError = yield* Effect.flip(Fiber.join(b))
        assert(!(evictionError instanceof HostFunctionError) && evictionError._tag === "SandboxBusy")
        // At this point, each owner has one waiting script. Owner 1 also has a running script and therefore more usage
        // than a new owner.
        others.push(yield* queueScript("g", 9))
        const heavyUserError = yield* Effect.flip(Fiber.join(a))
        assert(!(heavyUserError instanceof HostFunctionError) && heavyUserError._tag === "SandboxBusy")
        const queueFullError = yield* Effect.flip(run("1", { owner: 10 }))
        assert(!(queueFullError instanceof HostFunctionError) && queueFullError._tag === "SandboxBusy")
        yield* first.allowEnd
        // On a slow machine, the first script may be stopped early, because other scripts wait.
        yield* Fiber.await(first.fiber)
        yield* Fiber.joinAll(others)
        assert.strictEqual([...order].sort().join(""), "cdeeeefg")
      }),
      { sandboxes: 1, maxWaiting: 8 }
    ))

  it.live("frees the sandbox of an interrupted caller, and interrupts its pending host calls", () =>
    withSandbox(
      Effect.gen(function*() {
        const [hasCalled, hasBlocked, wasInterrupted] = [
          yield* Deferred.make<void>(),
          yield* Deferred.make<void>(),
          yield* Deferred.make<void>()
        ]
        const functions = { ask: makeHostFunction(() => Effect.as(Deferred.succeed(hasCalled, undefined), 1)) }
        const spinning = yield* Effect.forkChild(run("ask(); for (;;);", { functions }), { startImmediately: true })
        yield* Deferred.await(hasCalled)
        const waiting = yield* runUntilMeeting()
        yield* Fiber.interrupt(waiting.fiber)
        yield* Fiber.interrupt(spinning)
        yield* assertFree
        const holdCall = makeHostFunction(() =>
          Effect.onInterrupt(
            Effect.andThen(Deferred.succeed(hasBlocked, undefined), Effect.never),
            () => Deferred.succeed(wasInterrupted, undefined)
          )
        )
        const awaitHolding = makeHostFunction(() => Deferred.await(hasBlocked))
        yield* run("ask(); await meet(); 1", { functions: { ask: holdCall, meet: awaitHolding } })
        yield* Deferred.await(wasInterrupted)
      }),
      { sandboxes: 1 }
    ))
}

/**
 * Defines the contract tests of `CodeSandbox`. To save time, only every `nth` hostile script from `first` on is tested.
 */
export const codeSandboxContract = (
  name: string,
  layerOf: (options: SandboxUnderTest) => Layer.Layer<never>,
  { first = 0, nth = 1 }: { readonly first?: number; readonly nth?: number } = {}
): void => {
  const selectScripts: SelectScripts = (all) => all.filter((_, i) => i % nth === first % nth)
  describe(`CodeSandbox: ${name}`, () => {
    const layerWith = (options: Partial<SandboxUnderTest>) => layerOf({ sandboxes: 1, maxWaiting: 40, ...options })
    const withSandbox: WithSandbox = (test, options = {}) => Effect.provide(test, layerWith(options))

    testValues(withSandbox)
    testLogs(withSandbox)
    testRestrictions(withSandbox, selectScripts)
    testQueue(withSandbox)

    it.live("ends running scripts and rejects new ones when its layer closes", () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(layerWith({}), scope)
        const inContext = <A, E>(effect: Effect.Effect<A, E>) => Effect.provideContext(effect, context)
        const { hasStarted, fiber } = yield* inContext(runUntilMeeting())
        yield* hasStarted
        yield* Scope.close(scope, Exit.void)
        for (const failedRun of [Fiber.join(fiber), inContext(run("1"))]) {
          const error = yield* Effect.flip(failedRun)
          assert(!(error instanceof HostFunctionError) && error._tag === "SandboxUnavailable", error.message)
          assert.strictEqual(error.toolFailure.code, "source_unavailable")
        }
      }))
  })
}
