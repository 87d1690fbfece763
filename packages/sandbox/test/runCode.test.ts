/** Tests `run_code` as callers use it: on the simulated market, with credits. */
import { assert, it, layer } from "@effect/vitest"
import {
  CallSettings,
  DerivedStore,
  getIndicators,
  getPrice,
  getPriceHistory,
  implement,
  type Language,
  layerEngine,
  Ledger,
  runCode,
  specify,
  Toolbox,
  ToolCaller,
  ToolFailure,
  tools
} from "@tapeline/core"
import { SimMarket } from "@tapeline/market-sim"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import { layerSandbox } from "../src/index.ts"

const now = Date.parse("2026-11-20T15:33:22.517Z")

const oneCredit = { area: "crypto", scope: "read:market", credits: 1, summary: "For this test.", example: {} } as const
const result = Schema.Struct({ done: Schema.Boolean })

const [hasStarted, spinning] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
const [notifyStarted, notifySpinning] = ([["tell_begun", hasStarted], ["tell_spinning", spinning]] as const).map((
  [name, completion]
) =>
  implement(
    specify({ ...oneCredit, name, parameters: Schema.Struct({}), result }),
    Effect.succeed(() => Effect.as(Deferred.succeed(completion, undefined), { done: true }))
  )
)
const failing = implement(
  specify({ ...oneCredit, name: "fail_always", parameters: Schema.Struct({}), result }),
  Effect.succeed(() =>
    Effect.fail(
      new ToolFailure({
        code: "source_unavailable",
        callerMessage: "Nobody is there.",
        retryable: true,
        source: "binance",
        failure: "unreachable"
      })
    )
  )
)
const loaded = ([
  { name: "be_late", code: "timeout" },
  { name: "be_busy", code: "source_unavailable" },
  { name: "be_limited", code: "source_unavailable", source: "binance", failure: "rate_limited" }
] as const).map(({ name, ...failure }) =>
  implement(
    specify({ ...oneCredit, name, parameters: Schema.Struct({}), result }),
    Effect.succeed(() =>
      Effect.fail(new ToolFailure({ ...failure, callerMessage: "Too much at once.", retryable: true }))
    )
  )
)

const silent = implement(
  specify({ ...oneCredit, name: "answer_never", parameters: Schema.Struct({}), result }),
  Effect.succeed(() => Effect.never)
)

const engineOf = (sandbox: Layer.Layer<never>) =>
  layerEngine({ toolbox: Toolbox.layer([...tools, notifyStarted!, notifySpinning!, failing, ...loaded, silent]) }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(MemoryStores, sandbox, DerivedStore.layer.pipe(Layer.provideMerge(SimMarket.layer({ seed: 7 }))))
    )
  )

const engineWith = (sandbox: Layer.Layer<never>) =>
  // The clock is set before the engine starts, because otherwise the engine's repeating work would catch up on all the
  // time since 1970.
  Layer.provide(engineOf(sandbox), Layer.effectDiscard(TestClock.setTime(now)))

const enrolled = createKeyedAccount({ plan: "pro", scopes: ["read:market"] })
type Principal = Effect.Success<typeof enrolled>["principal"]

const runBy = Effect.fnUntraced(function*(principal: Principal, code: string, args: object = {}, language?: Language) {
  const caller = yield* ToolCaller
  return yield* caller.call({ principal, name: runCode.name, arguments: { code, ...args }, language })
})

const failureOf = (principal: Principal, code: string, args?: object, language?: Language) =>
  Effect.map(runBy(principal, code, args, language), ({ envelope, failure }) => {
    assert.strictEqual(envelope.credits_used, 0)
    assert.isNotNull(failure, JSON.stringify(envelope.data).slice(0, 200))
    return failure
  })

const scriptErrorOf = Effect.fnUntraced(
  function*(principal: Principal, code: string, args?: object, language?: Language) {
    const { envelope, failure } = yield* runBy(principal, code, args, language)
    assert.deepStrictEqual([failure, envelope.credits_used], [null, 20])
    const { logs, script_error, value } = Schema.decodeUnknownSync(runCode.result)(envelope.data)
    assert.isNull(value)
    return { ...script_error!, logs }
  }
)

const booksOf = (principal: Principal) =>
  Effect.flatMap(
    Ledger,
    (ledger) =>
      Effect.map(ledger.balance(principal.account), (books) => ({ used: books!.used, reserved: books!.reserved }))
  )

layer(engineWith(layerSandbox({ sandboxes: 1 })), { timeout: 60_000 })("run_code", (it) => {
  it.effect("returns the data and indicators of the market tools", () =>
    Effect.gen(function*() {
      const { principal } = yield* enrolled
      const caller = yield* ToolCaller
      const code = `const bars = await candles("btc", inputs.tf, 601)
        const closed = bars.filter((bar) => bar.closed !== false)
        const series = (field) => closed.map((bar) => bar[field])
        const closes = series("close")
        return {
          rsi: quant.rsi(closes, 14).at(-1),
          ema: quant.ema(closes, 50).at(-1),
          atr: quant.atr(series("high"), series("low"), closes, 14).at(-1),
          short: await candles("BTC"),
          price: await price("BTC"),
          called: await call("get_indicators", { coin: "BTC", tf: inputs.tf })
        }`
      const run = yield* caller.call(runCode, {
        principal,
        arguments: { code, inputs: { tf: "4h" }, timeout_ms: 10_000 }
      })
      assert.strictEqual(run.credits_used, 20)
      const Value = Schema.Struct({
        rsi: Schema.Finite,
        ema: Schema.Finite,
        atr: Schema.Finite,
        short: Schema.Unknown,
        price: Schema.Finite,
        called: Schema.Unknown
      })
      const value = Schema.decodeUnknownSync(Value)(run.data.value)
      const ask = { principal }
      const { data: indicators } = yield* caller.call(getIndicators, { ...ask, arguments: { coin: "BTC", tf: "4h" } })
      const { data: history } = yield* caller.call(getPriceHistory, { ...ask, arguments: { coin: "BTC" } })
      const { data: ticker } = yield* caller.call(getPrice, { ...ask, arguments: { coin: "BTC" } })
      assert.strictEqual(indicators.n, 1_600)
      assert.closeTo(value.rsi, indicators.rsi!, 0.00005)
      assert.closeTo(value.ema, indicators.ema["50"]!, indicators.ema["50"]! * 1e-7)
      assert.closeTo(value.atr, indicators.atr!, indicators.atr! * 1e-7)
      assert.deepStrictEqual(value.called, indicators)
      assert.deepStrictEqual(value.short, history.candles)
      assert.strictEqual(value.price, ticker.price)
      // The 23 credits are the price of the script and of its calls.
      assert.deepStrictEqual(yield* booksOf(principal), { used: 23, reserved: 0 })
    }))

  it.effect("can call market tools of one credit twenty times", () =>
    Effect.gen(function*() {
      const { principal } = yield* enrolled
      const code = `const told = {}
        const caught = (name, args) => call(name, args).then(() => "answered", (e) => e.code + ": " + e.message)
        for (const name of ["get_kr_stock", "run_code", "no_such", "__proto__", 7, { toString: 1 }]) {
          told[String(typeof name === "object" ? "object" : name)] = await caught(name, { code: "1", symbol: "005930" })
        }
        told.arguments = await caught("get_price", { coin: "BTC", bars: "many" })
        told.deep = await caught("get_price", { coin: [[[[[[]]]]]] })
        told.user = await caught("get_price", { coin: "BTC", user_id: 1 })
        told.unknown = await caught("get_price", { coin: "NOSUCH" })
        for (let i = 0; i < 10; i++) told.last = await caught("get_price", { coin: "BTC" })
        try { await call("get_price", { coin: "BTC" }) } catch (e) { told.beyond = e.message }
        try { await candles("BTC", "2h") } catch (e) { told.timeframe = e.message }
        return told`
      const { envelope, failure } = yield* runBy(principal, code)
      assert.isNull(failure, failure?.message)
      const { value } = Schema.decodeUnknownSync(Schema.Struct({ value: Schema.Record(Schema.String, Schema.String) }))(
        envelope.data
      )
      for (const name of ["get_kr_stock", "run_code", "no_such", "7"]) {
        assert.match(
          value[name]!,
          /^script_error: Scripts cannot call `.*`, only market tools that cost 1 credit/u,
          name
        )
      }
      assert.include(value["arguments"], "Unknown field; known fields: coin.")
      assert.include(value["deep"], "Expected a string")
      assert.include(value["user"], "user_id")
      assert.match(value["unknown"]!, /^unknown_symbol: `NOSUCH`/u)
      assert.strictEqual(value["last"], "answered")
      assert.include(value["beyond"], "no more calls of call")
      assert.include(value["timeframe"], "tf: Expected one of")
      assert.deepStrictEqual(yield* booksOf(principal), { used: 20, reserved: 0 })
    }))

  it.effect("charges a script that fails, and explains the failure in the caller's language", () =>
    Effect.gen(function*() {
      const { principal } = yield* enrolled
      const [en, ko, ru] = [
        yield* scriptErrorOf(principal, "console.log(1)\nnull.x"),
        yield* scriptErrorOf(principal, "1\nnull.x", {}, "ko"),
        yield* scriptErrorOf(principal, "1\nnull.x", {}, "ru")
      ]
      assert.deepInclude(en, { code: "threw", line: 2, logs: ["1"] })
      assert.include(en.message, "at line 2: TypeError: cannot read property 'x' of null")
      assert.match(ko.message, /스크립트가 2행에서 .*cannot read property/u)
      assert.match(ru.message, /в строке 2: .*cannot read property/u)

      const timeoutError = yield* scriptErrorOf(principal, "console.log(1); for (;;);", { timeout_ms: 200 })
      assert.deepInclude(timeoutError, { code: "timeout", line: null, logs: ["1"] })
      assert.include(timeoutError.message, "within 200 ms")
      const unknown = yield* scriptErrorOf(principal, "await price(\"NOSUCH\")")
      assert.deepInclude(unknown, { code: "call", line: null })
      assert.include(unknown.message, "NOSUCH")
      assert.deepInclude(yield* scriptErrorOf(principal, "await candles(\"BTC\", \"1h\", 5000)"), { code: "call" })
      assert.deepStrictEqual(yield* booksOf(principal), { used: 120, reserved: 0 })
    }))

  it.effect("charges a script that reaches its time limit while calls run", () =>
    Effect.gen(function*() {
      const { principal } = yield* enrolled
      for (const rest of ["await call(\"answer_never\")", "call(\"answer_never\"); for (;;);"]) {
        const code = `console.log(1); ${rest}`
        const error = yield* scriptErrorOf(principal, code, { timeout_ms: 300 })
        assert.deepInclude(error, { code: "timeout", logs: ["1"] })
      }
      assert.deepStrictEqual(yield* booksOf(principal), { used: 40, reserved: 0 })
    }))

  it.effect("charges nothing and returns no logs if a call fails because the service is busy or late", () =>
    Effect.gen(function*() {
      const { principal } = yield* enrolled
      for (const name of ["be_late", "be_busy", "be_limited"]) {
        const { envelope, failure } = yield* runBy(principal, `console.log("text"); await call("${name}")`)
        assert.deepInclude(failure, { code: "source_unavailable", retryable: true })
        assert.strictEqual(envelope.credits_used, 0)
        assert.notInclude(JSON.stringify(envelope.data), "text")
      }
      assert.deepStrictEqual(yield* booksOf(principal), { used: 0, reserved: 0 })
    }))

  it.effect("charges a script with more than eight calls that meets a busy service or a rate limit", () =>
    Effect.gen(function*() {
      const { principal } = yield* enrolled
      const callMany = "await Promise.all(Array.from({ length: 20 }, () => price(\"BTC\")))"
      for (const name of ["be_late", "be_busy", "be_limited"]) {
        const error = yield* scriptErrorOf(principal, `console.log(1); ${callMany}; await call("${name}")`)
        assert.deepInclude(error, { code: "call", message: "Too much at once.", logs: ["1"] })
      }
      const failure = yield* failureOf(principal, `${callMany}; await call("fail_always")`)
      assert.deepInclude(failure, { code: "source_unavailable" })
    }))

  it.effect.runIf(isFullRun)(
    "charges for text that a script throws or logs, or withholds the text",
    () =>
      Effect.gen(function*() {
        const { principal } = yield* enrolled
        const read = "const closes = (await candles(\"BTC\")).map((c) => c.close); const text = closes.join(\" \");"
        const revealingScripts = [
          `${read} throw new Error(text)`,
          `${read} throw text`,
          `${read} await Promise.reject({ message: text, code: "source_unavailable" })`,
          `${read} await price(text)`,
          `${read} await call(text, {})`,
          `${read} try { await call("fail_always") } catch (e) { e.message = text; throw e }`,
          `${read} console.log(text); await call("fail_always")`,
          `${read} console.log(text); for (;;);`
        ]
        for (const [i, code] of revealingScripts.entries()) {
          const { envelope } = yield* runBy(principal, code, { timeout_ms: code.includes("for (;;)") ? 3_000 : 10_000 })
          const isPriceShown = /\d{4,}\.?\d* \d{4,}/u.test(JSON.stringify(envelope.data))
          assert.isTrue(!isPriceShown || envelope.credits_used === 20, code)
          // The script in `leaks[6]` does not catch the failure of an unavailable data source, which is not the
          // script's fault.
          if (i === 6) {
            assert.deepStrictEqual(envelope.data, {
              error: {
                code: "source_unavailable",
                message:
                  "A call of the script failed because the service or a source is unavailable or overloaded; try again in a few seconds.",
                retryable: true
              }
            })
          }
          assert.strictEqual(envelope.credits_used, code.includes("e.message") || i === 6 ? 0 : 20, code)
        }
      })
  )

  it.effect("completes and charges a started script whose caller left, and no waiting script", () =>
    Effect.gen(function*() {
      const { principal } = yield* enrolled
      const spins = yield* Effect.forkChild(runBy(principal, "await call(\"tell_begun\"); for (;;);", {
        timeout_ms: 300
      }))
      yield* Deferred.await(hasStarted)
      const waits = yield* Effect.forkChild(runBy(principal, "1"), { startImmediately: true })
      yield* Fiber.interruptAll([spins, waits])
      assert.deepStrictEqual(yield* booksOf(principal), { used: 0, reserved: 20 })
      // The second script succeeds after waiting until the only sandbox is free.
      assert.isNull((yield* runBy(principal, "1")).failure)
      const settled = yield* Effect.repeat(Effect.andThen(Effect.yieldNow, booksOf(principal)), {
        until: ({ reserved }) => reserved === 0
      })
      assert.deepStrictEqual(settled, { used: 40, reserved: 0 })
    }))
})

const shortCalls = Layer.succeed(CallSettings, {
  toolTimeout: "1500 millis",
  reservationGrace: "30 seconds",
  replayFor: "24 hours"
})

// The test uses the real clock, because the time limit of the call is measured by the fiber's clock.
it.live("charges a script that runs until the time limit of its call", () =>
  Effect.gen(function*() {
    const { principal } = yield* enrolled
    const error = yield* scriptErrorOf(principal, "for (;;);", { timeout_ms: 3_000 })
    assert.strictEqual(error.code, "timeout")
    assert.include(error.message, "within 1500 ms")
  }).pipe(Effect.provide(Layer.provideMerge(engineOf(layerSandbox({ sandboxes: 1 })), shortCalls))))

layer(engineWith(layerSandbox({ sandboxes: 1 })), { timeout: 60_000 })(
  "run_code while all sandboxes are used",
  (it) => {
    it.effect("fails with cpu_budget for an account that used 30 s of the last minute, and is free", () =>
      Effect.gen(function*() {
        const { principal } = yield* enrolled
        const realNow = performance.now.bind(performance)
        let passedMs = 0
        const clock = vi.spyOn(performance, "now").mockImplementation(() => realNow() + passedMs)
        yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
        const spins = yield* Effect.forkChild(
          runBy(principal, "await call(\"tell_spinning\"); for (;;);", { timeout_ms: 10_000 })
        )
        yield* Deferred.await(spinning)
        passedMs = 25_000
        const waits = yield* Effect.forkChild(runBy(principal, "1"), { startImmediately: true })
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
        passedMs = 30_000
        assert.deepInclude(yield* failureOf(principal, "1"), { code: "cpu_budget", retryable: true })
        assert.isUndefined(waits.pollUnsafe())
        yield* Fiber.interruptAll([waits, spins])
      }))
  }
)

layer(engineWith(Layer.empty))("run_code of an engine without a sandbox", (it) => {
  it.effect("says that the service runs no scripts", () =>
    Effect.gen(function*() {
      const { principal } = yield* enrolled
      const failure = yield* failureOf(principal, "1")
      assert.deepInclude(failure, { code: "source_unavailable", retryable: false })
      assert.include(failure.message, "runs no scripts")
    }))
})
