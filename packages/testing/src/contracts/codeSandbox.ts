import { assert, describe, it } from "@effect/vitest"
import { CodeSandbox, type HostFunction, type SandboxError, type Script, scriptLimits } from "@tapeline/core/analysis"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, type Schema, Scope } from "effect"
import { breaking, escapes, flooding, forging, forgingFailure, spinning, wrong } from "./hostileScripts.ts"

/** The options of a sandbox in a test. */
export interface SandboxUnderTest {
  /** The number of scripts that run at once. */
  readonly sandboxes: number
  /** The maximum number of waiting scripts. One owner may have a quarter of them. */
  readonly maxWaiting: number
}

class Away extends Error {
  readonly code = "no_data"
}

type Options = Partial<Omit<Script<Away>, "code">>

const run = (code: string, options: Options = {}): Effect.Effect<Schema.Json, SandboxError | Away> =>
  Effect.flatMap(
    CodeSandbox,
    (sandbox) =>
      sandbox.run({ inputs: {}, limitMs: 20_000, waitMs: 120_000, owner: 1, functions: {}, ...options, code })
  )

const functionOf = (answer: HostFunction<Away>["answer"], atMost = 10): HostFunction<Away> => ({ atMost, answer })

/** Runs a script that synchronises with the test. The script runs when `begun` completes, and ends after `letEnd`. */
const meeting = (options: Options = {}) =>
  Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const mayEnd = yield* Deferred.make<void>()
    const functions = {
      meet: functionOf(() => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(mayEnd)))
    }
    const fiber = yield* Effect.forkChild(run("await meet(); \"met\"", { ...options, functions }), {
      startImmediately: true
    })
    return { begun: Deferred.await(begun), letEnd: Deferred.succeed(mayEnd, undefined), fiber }
  })

const isFree = Effect.map(run("1 + 1"), (value) => assert.strictEqual(value, 2))

type On = <A, E>(test: Effect.Effect<A, E>, options?: Partial<SandboxUnderTest>) => Effect.Effect<A, E>

const whatAScriptLogs = (on: On): void => {
  it.live("logs NUL, halves of surrogate pairs and what follows them", () =>
    on(Effect.gen(function*() {
      const logs: Array<string> = []
      yield* run("console.log(\"a\\u0000b\\ud800c\", 1)", { log: (line) => void logs.push(line) })
      assert.deepStrictEqual(logs, ["a\0b\ud800c 1"])
    })))
}

const whatAScriptIs = (on: On): void => {
  it.live("gives what a script returns, or its last expression, as JSON says it", () =>
    on(Effect.gen(function*() {
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

  it.live("gives inputs, quant and a log, and nothing of one run in the next", () =>
    on(Effect.gen(function*() {
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
        { inputs, log: (line) => void logs.push(line) }
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

  it.live("answers what a script asks, as often as it may ask", () =>
    on(Effect.gen(function*() {
      const away = new Away("nobody knows")
      const functions = {
        double: functionOf(([x]) => Effect.succeed(Number(x) * 2), 3),
        none: functionOf(() => Effect.succeed(undefined)),
        fails: functionOf(() => Effect.fail(away)),
        dies: functionOf(() => Effect.die(new Error("a bug")))
      }
      const told = yield* run(
        `const caught = (p) => p.catch((e) => [e instanceof Error, e.message, e.code])
        return [await Promise.all([1, 2, "3", 4].map((x) => caught(double(x)))), await none(), await caught(fails()),
          (await caught(none("x".repeat(${scriptLimits.argumentsLength}))))[0]]`,
        { functions }
      )
      assert.deepStrictEqual(told, [
        [2, 4, 6, [true, "no more calls of double in this run", null]],
        null,
        [true, "nobody knows", "no_data"],
        true
      ])
      assert.strictEqual(yield* Effect.flip(run("await fails()", { functions })), away)
      const exit = yield* Effect.exit(run("await dies()", { functions }))
      assert(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.include(Cause.pretty(exit.cause), "a bug")
    })))
}

/** The result of `escapes` in a sandbox without leaks. */
const found = {
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

/** Selects the hostile scripts that run. */
type Sample = <A>(all: ReadonlyArray<A>) => ReadonlyArray<A>

const whatAScriptMayNot = (on: On, sample: Sample): void => {
  it.live("lets nothing of the program be found", () =>
    on(Effect.gen(function*() {
      const functions = {
        ask: functionOf(([x]) => x === 0 ? Effect.fail(new Away("no")) : Effect.succeed({ fine: true }))
      }
      assert.deepStrictEqual(yield* run(escapes, { functions, inputs: { a: 1 } }), found)
    })))

  it.live("holds whatever a script makes of its world", () =>
    on(
      Effect.forEach(sample(forging), ([code, value]) =>
        Effect.map(
          run(code, { functions: { ask: functionOf(() => Effect.succeed({ fine: true })) } }),
          (given) => assert.deepStrictEqual(given, value, code)
        ), { concurrency: 2, discard: true }),
      { sandboxes: 2 }
    ))

  for (const [kind, scripts] of Object.entries({ wrong, breaking, flooding, forgingFailure })) {
    it.live(`fails a script by what it is: ${kind}`, () =>
      on(
        Effect.gen(function*() {
          yield* Effect.forEach(sample(Object.entries(scripts)), ([what, { code, fault, says }]) =>
            Effect.gen(function*() {
              const error = yield* Effect.flip(run(code))
              assert(!(error instanceof Away) && error._tag === "ScriptError", `${what}: ${error.message}`)
              assert.strictEqual(error.fault._tag, fault, `${what}: ${JSON.stringify(error.fault)}`)
              if (says !== undefined) {
                assert.include(JSON.stringify(error.fault), says, what)
              }
            }), { concurrency: 2 })
          const at = yield* Effect.flip(run("const a = 1\n\nthrow new TypeError(\"no good\")"))
          assert.deepInclude(at, { fault: { _tag: "Threw", error: "TypeError: no good", line: 3 } })
          yield* isFree
        }),
        { sandboxes: 2 }
      ), 120_000)
  }

  it.live("ends a script at its limit, whatever it does, and others run meanwhile", () =>
    on(
      Effect.gen(function*() {
        const functions = { ask: functionOf(() => Effect.succeed(1)) }
        // Other owners' scripts get their full time and more.
        const beside = yield* Effect.forkChild(Effect.repeat(isFree, { times: 3 }), { startImmediately: true })
        yield* Effect.forEach(sample(Object.entries(spinning)), ([where, code]) =>
          Effect.gen(function*() {
            const logs: Array<string> = []
            const log = (line: string) => void logs.push(line)
            const logged = `console.log("begun"); ${code}`
            const error = yield* Effect.flip(run(logged, { limitMs: 100, functions, owner: 2, log }))
            assert(!(error instanceof Away) && error._tag === "ScriptError", `${where}: ${error.message}`)
            assert.deepInclude(error.fault, { _tag: "Timeout", limitMs: 100 })
            return logs[0]
            // On a busy machine the limit can end a script before its first line.
          }).pipe(
            Effect.repeat({ times: 20, until: (line) => line === "begun" }),
            Effect.tap((line) => Effect.sync(() => assert.strictEqual(line, "begun")))
          ), { concurrency: 3 })
        yield* Fiber.join(beside)
      }),
      { sandboxes: 4 }
    ), 120_000)
}

const placesAndTurns = (on: On): void => {
  it.live("has places for so many, of one owner as of all, and gives owners their turns", () =>
    on(
      Effect.gen(function*() {
        const first = yield* meeting()
        yield* first.begun
        const order: Array<string> = []
        const waits = (who: string, owner: number) =>
          Effect.forkChild(Effect.tap(run("1", { owner }), () => Effect.sync(() => order.push(who))), {
            startImmediately: true
          })
        const a = yield* waits("a", 1)
        const b = yield* waits("b", 1)
        const ofOne = yield* Effect.flip(run("1"))
        assert(!(ofOne instanceof Away) && ofOne._tag === "SandboxBusy")
        assert.deepInclude(ofOne.toolFailure, { code: "source_unavailable", retryable: true })
        const late = yield* Effect.flip(run("1", { owner: 2, waitMs: 10 }))
        assert(!(late instanceof Away) && late._tag === "SandboxBusy")
        const others = [yield* waits("c", 2), yield* waits("d", 3)]
        for (const owner of [4, 5, 6, 7]) others.push(yield* waits("e", owner))
        // The queue is full, so a new owner replaces an entry of the owner with the most entries.
        others.push(yield* waits("f", 8))
        const evicted = yield* Effect.flip(Fiber.join(b))
        assert(!(evicted instanceof Away) && evicted._tag === "SandboxBusy")
        // Each owner has one entry now. The script of owner 1 runs, so owner 1 used more than a new owner.
        others.push(yield* waits("g", 9))
        const usedMore = yield* Effect.flip(Fiber.join(a))
        assert(!(usedMore instanceof Away) && usedMore._tag === "SandboxBusy")
        const ofAll = yield* Effect.flip(run("1", { owner: 10 }))
        assert(!(ofAll instanceof Away) && ofAll._tag === "SandboxBusy")
        yield* first.letEnd
        // On a slow machine the first script ends early, because others wait.
        yield* Fiber.await(first.fiber)
        yield* Fiber.joinAll(others)
        assert.strictEqual([...order].sort().join(""), "cdeeeefg")
      }),
      { sandboxes: 1, maxWaiting: 8 }
    ))

  it.live("frees the place of who is interrupted, and drops what he waited for", () =>
    on(
      Effect.gen(function*() {
        const [asked, holding, dropped] = [
          yield* Deferred.make<void>(),
          yield* Deferred.make<void>(),
          yield* Deferred.make<void>()
        ]
        const functions = { ask: functionOf(() => Effect.as(Deferred.succeed(asked, undefined), 1)) }
        const spins = yield* Effect.forkChild(run("ask(); for (;;);", { functions }), { startImmediately: true })
        yield* Deferred.await(asked)
        const waiting = yield* meeting()
        yield* Fiber.interrupt(waiting.fiber)
        yield* Fiber.interrupt(spins)
        yield* isFree
        // Pending host calls end with their script.
        const held = functionOf(() =>
          Effect.onInterrupt(
            Effect.andThen(Deferred.succeed(holding, undefined), Effect.never),
            () => Deferred.succeed(dropped, undefined)
          )
        )
        const meets = functionOf(() => Deferred.await(holding))
        yield* run("ask(); await meet(); 1", { functions: { ask: held, meet: meets } })
        yield* Deferred.await(dropped)
      }),
      { sandboxes: 1 }
    ))
}

/**
 * The contract tests of `CodeSandbox`. Each hostile script needs its own sandbox, so a caller can run only every `nth`
 * hostile script, beginning with script `first`.
 */
export const codeSandboxContract = (
  name: string,
  layerOf: (options: SandboxUnderTest) => Layer.Layer<never>,
  { first = 0, nth = 1 }: { readonly first?: number; readonly nth?: number } = {}
): void => {
  const sample: Sample = (all) => all.filter((_, i) => i % nth === first % nth)
  describe(`CodeSandbox: ${name}`, () => {
    const layerWith = (options: Partial<SandboxUnderTest>) => layerOf({ sandboxes: 1, maxWaiting: 40, ...options })
    const on: On = (test, options = {}) => Effect.provide(test, layerWith(options))

    whatAScriptIs(on)
    whatAScriptLogs(on)
    whatAScriptMayNot(on, sample)
    placesAndTurns(on)

    it.live("ends with its layer", () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(layerWith({}), scope)
        const here = <A, E>(effect: Effect.Effect<A, E>) => Effect.provideContext(effect, context)
        const { begun, fiber } = yield* here(meeting())
        yield* begun
        yield* Scope.close(scope, Exit.void)
        for (const ended of [Fiber.join(fiber), here(run("1"))]) {
          const error = yield* Effect.flip(ended)
          assert(!(error instanceof Away) && error._tag === "SandboxUnavailable", error.message)
          assert.strictEqual(error.toolFailure.code, "source_unavailable")
        }
      }))
  })
}
