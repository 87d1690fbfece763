import { assert, it, layer as withLayer } from "@effect/vitest"
import { makeCatalogue, specifications, tools } from "@tapeline/core"
import { dayMs, hourMs } from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import { createExampleRecords } from "@tapeline/testing/journal/exampleRecords"
import { seed } from "@tapeline/testing/seed"
import { callByName } from "@tapeline/testing/toolCalls"
import { Cause, Effect, Exit, Layer, Predicate } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, now } from "../support/markets.ts"

/** Calls a tool by name, as the HTTP and MCP transports do, and returns the result and the failure. */
const callTool = Effect.fnUntraced(
  function*(name: string, args: unknown, time: number = now, call?: string) {
    yield* TestClock.setTime(time)
    const { data, failure } = yield* callByName(name, args, call)
    return { data: removeImageNames(data), failure }
  }
)

const removeImageNames = (data: unknown): unknown =>
  Predicate.hasProperty(data, "url") && typeof data.url === "string"
    ? { ...data, url: data.url.replace(/^(\/v1\/charts\/)[a-z0-5]{32}$/, "$1...") }
    : data

/** Returns the example's arguments with `argument` replaced by `name`. */
const withArgument = (example: object, argument: string, name: string): object => ({
  ...Object.fromEntries(Object.entries(example).filter(([key]) => !(key in unlistedNames))),
  [argument]: name
})

/** Calls a tool's example twice, and returns both results as JSON. */
const callExampleTwice = Effect.fnUntraced(function*({ example, name, scope }: typeof specifications[number]) {
  const args = yield* createExampleRecords(
    name,
    example,
    (name, args) => Effect.map(callTool(name, args), ({ data }) => data)
  )
  const answers: Array<string> = []
  for (let i = 0; i < 2; i++) {
    const { data, failure } = yield* callTool(name, args, now, scope === "write:personal" ? `twice-${name}` : undefined)
    assert.isNull(failure, failure?.message)
    answers.push(JSON.stringify(data))
  }
  return answers
})

const callExample = Effect.fnUntraced(function*({ example, name }: typeof specifications[number]) {
  const { data, failure } = yield* callTool(name, example)
  assert.isNull(failure, failure?.message)
  return JSON.stringify(data)
})

const results = new Map(makeCatalogue(specifications).map(({ name, result }) => [name, result]))

const reportsItsSource = (name: string): boolean => {
  const properties: unknown = results.get(name)?.["properties"]
  return typeof properties === "object" && properties !== null && "as_of" in properties && "source" in properties
}

/** For each argument that takes a name, a name that no source lists. */
const unlistedNames: Readonly<Record<string, string>> = { coin: "nosuch", symbol: "nosuch" }

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("every tool over the simulated market", (it) => {
  for (const specification of specifications) {
    const { name } = specification
    it.effect(`${name} answers its example within its schema and size limit`, () =>
      Effect.gen(function*() {
        const [text = "", secondText] = yield* callExampleTwice(specification)
        assert.isBelow(text.length, 256 * 1024)
        for (const [number] of text.matchAll(/-?\d+\.\d+(e[+-]\d+)?/g)) {
          assert.strictEqual(Number(Number(number).toPrecision(12)), Number(number), `${number} exceeds 12 digits`)
        }
        assert.strictEqual(secondText, text)
        if (!reportsItsSource(name)) return
        const { as_of, source } = JSON.parse(text)
        assert.strictEqual(source, "simulated")
        assert.isAtMost(Date.parse(as_of), now)
      }))
  }

  for (const { example, name, parameters } of specifications) {
    for (const [argument, unknownValue] of Object.entries(unlistedNames)) {
      if (!(argument in parameters.fields)) continue
      it.effect(`${name} fails for a ${argument} that no source lists`, () =>
        Effect.gen(function*() {
          const { failure } = yield* callTool(name, withArgument(example, argument, unknownValue))
          assert.deepInclude(failure, { code: "unknown_symbol", retryable: false })
          assert.include(failure!.message, unknownValue.toUpperCase())
          const [coin, symbol] = "coin" in parameters.fields && "symbol" in parameters.fields
            ? ["pass a stock in `symbol`", "pass a coin in `coin`"]
            : ["use get_us_stock", "use get_price"]
          assert.include(failure!.message, argument === "coin" ? coin : symbol)
        }))
    }
  }

  for (const [nth, { example, name, parameters }] of specifications.entries()) {
    if (!("at" in parameters.fields)) continue
    it.effect.runIf(isFullRun || nth % 2 === seed % 2)(
      `${name} answers for a past time as it would have at that time`,
      () =>
        Effect.gen(function*() {
          const times = [now - 40 * dayMs, Math.floor(now / hourMs) * hourMs - 7 * hourMs]
          for (const time of isFullRun ? times : [times[(seed >> 1) % 2]!]) {
            const pastAnswer = yield* callTool(name, { ...example, at: new Date(time).toISOString() })
            assert.isNull(pastAnswer.failure, pastAnswer.failure?.message)
            assert.deepStrictEqual(pastAnswer, yield* callTool(name, example, time))
          }
        })
    )
  }

  it.effect("a fresh engine gives the same answers in another order of calls", () =>
    Effect.gen(function*() {
      // The results of tools about an account depend on earlier writes, so only tools about the market are compared.
      const ofTheMarket = specifications.filter(({ scope }, nth) =>
        scope === "read:market" && (isFullRun || nth % 8 === seed % 8)
      )
      const answers = new Map<string, string>()
      for (const specification of ofTheMarket) answers.set(specification.name, yield* callExample(specification))
      yield* Effect.gen(function*() {
        for (const specification of ofTheMarket.toReversed()) {
          assert.strictEqual(yield* callExample(specification), answers.get(specification.name), specification.name)
        }
      }).pipe(Effect.provide(Layer.fresh(layerEngineOver(layerCompleteMarket))))
    }))
})

/** The tools that use the market only to check whether a coin exists. */
const toolsThatOnlyLookUpNames = new Set<string>([
  "get_trade_history",
  "set_position",
  "add_journal_note",
  "update_watchlist",
  "create_task",
  "update_task"
])

it.effect("a tool that does not report its source reads no market data", () =>
  Effect.gen(function*() {
    for (const { make, specification: { name } } of tools) {
      if (reportsItsSource(name) || toolsThatOnlyLookUpNames.has(name)) continue
      // The handler gets no services, so the handler fails with an error that names the first service that it needs.
      const exit = yield* Effect.exit(make as Effect.Effect<unknown>)
      const failureText = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      assert.notMatch(failureText, /core\/(market|signals)\//, `${name} reads market data: add \`...provenance\``)
    }
  }))
