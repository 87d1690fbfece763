import { assert, it } from "@effect/vitest"
import { makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { layerSourceLog } from "../../src/live/layerSourceLog.ts"
import { networkOf } from "../../src/live/network.ts"
import { type Fault, makeSource } from "../../src/source/index.ts"
import { SourceHealth } from "../../src/source/SourceHealth.ts"
import { SourceStateRecorder } from "../../src/source/SourceStateRecorder.ts"

const start = Date.parse("2026-11-20T12:00:00.000Z")
const unreachable = { failure: "unreachable", reason: "the connection failed (ECONNREFUSED)", canRetry: true } as const
const blocked = { failure: "blocked", reason: "it does not serve this place (status 451)", canRetry: false } as const
const keyless = { failure: "not_configured", reason: "it needs a key: set TAPELINE_A_KEY", canRetry: false } as const

const recordStates = Effect.fnUntraced(function*(health: SourceHealth["Service"], source: string) {
  const recorder = new SourceStateRecorder()
  yield* health.register((now) => recorder.state(now, { source, breaker: "closed", next: null, waiting: 0 }))
  const now = Effect.clockWith((clock) => clock.currentTimeMillis)
  return {
    fails: (fault: Fault) =>
      Effect.map(now, (at) => {
        recorder.recordFailure(fault, at)
        if (fault.failure === "blocked") recorder.block(at, 1_800_000)
      }),
    answers: Effect.map(now, (at) => recorder.recordSuccess(at))
  }
})

const setUp = Effect.gen(function*() {
  yield* TestClock.setTime(start)
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
  const context = yield* Layer.build(
    Layer.provideMerge(layerSourceLog, SourceHealth.layer).pipe(Layer.provide(Logger.layer([logger])))
  )
  const health = Context.get(context, SourceHealth)
  return { lines, health, ...yield* recordStates(health, "mill") }
})

it.effect("logs a missing network once, and its return with the sources that still fail", () =>
  Effect.gen(function*() {
    const { answers, fails, health, lines } = yield* setUp
    const [bakery, futures, spot] = yield* Effect.forEach(
      ["bakery", "venue/futures", "venue/spot"],
      (source) => recordStates(health, source)
    )
    const all = [{ answers, fails }, bakery!, futures!, spot!]
    for (const one of all) yield* one.fails(unreachable)
    for (let minute = 0; minute < 20; minute++) {
      yield* TestClock.adjust("1 minute")
      for (const one of all) yield* one.fails(unreachable)
    }
    assert.lengthOf(lines, 1)
    assert.match(
      lines[0]!,
      /^Warn no source is reachable since 2026-11-20T12:00:00\.000Z: unreachable, the .*\(ECONNREFUSED\); .*HTTPS_PROXY/u
    )
    assert.strictEqual(networkOf(yield* health.states), "unreachable")
    for (const one of [answers, bakery!.answers, futures!.answers]) yield* one
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(lines[1], "Info sources are reachable again after 20 min")
    assert.match(lines[2]!, /^Warn the source venue\/spot is unavailable since 2026-11-20T12:00:00/u)
    assert.lengthOf(lines, 3)
  }).pipe(Effect.scoped))

it.effect("infers a missing network from three unreachable venues, and not if one of them is blocked", () =>
  Effect.gen(function*() {
    const { fails, health } = yield* setUp
    const [futures, spot] = yield* Effect.forEach(["venue/futures", "venue/spot"], (name) => recordStates(health, name))
    assert.strictEqual(networkOf(yield* health.states), "unknown")
    for (const one of [{ fails }, futures!, spot!]) yield* one.fails(unreachable)
    assert.strictEqual(networkOf(yield* health.states), "unknown")
    const bakery = yield* recordStates(health, "bakery")
    yield* bakery.fails(blocked)
    assert.strictEqual(networkOf(yield* health.states), "reachable")
    yield* bakery.fails(unreachable)
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(networkOf(yield* health.states), "unreachable")
  }).pipe(Effect.scoped))

it.effect("reports a missing network although a source that was requested only once has answered", () =>
  Effect.gen(function*() {
    const { answers, fails, health, lines } = yield* setUp
    const [bakery, brewery, onceFailing, rejecting] = yield* Effect.forEach(
      ["bakery", "brewery", "once", "refuses"],
      (source) => recordStates(health, source)
    )
    const askedSources = [{ answers, fails }, bakery!, brewery!]
    for (const one of [...askedSources, onceFailing!]) yield* one.answers
    yield* rejecting!.fails(blocked)
    yield* TestClock.adjust("1 minute")
    lines.length = 0
    for (const one of askedSources) yield* one.fails(unreachable)
    assert.strictEqual(networkOf(yield* health.states), "reachable", "an answer that is a minute old still counts")
    for (let minute = 0; minute < 60; minute++) {
      yield* TestClock.adjust("1 minute")
      for (const one of askedSources) yield* one.fails(unreachable)
    }
    assert.strictEqual(networkOf(yield* health.states), "unreachable")
    const missing = lines.filter((line) => line.includes("no source is reachable"))
    assert.lengthOf(missing, 1)
    assert.match(missing[0]!, /since 2026-11-20T12:01:00\.000Z/u)
    yield* onceFailing!.answers
    assert.strictEqual(networkOf(yield* health.states), "reachable")
  }).pipe(Effect.scoped))

it.effect("reports the start and cause of a missing network without counting sources that lack a key", () =>
  Effect.gen(function*() {
    const { answers, fails, health, lines } = yield* setUp
    const [bakery, brewery, ...keys] = yield* Effect.forEach(
      ["bakery", "brewery", "key-1", "key-2"],
      (source) => recordStates(health, source)
    )
    const askedSources = [{ answers, fails }, bakery!, brewery!]
    for (const key of keys) yield* key.fails(keyless)
    for (const [i, one] of askedSources.entries()) {
      yield* one.fails({ ...unreachable, reason: `no answer within ${i + 1} s` })
    }
    yield* TestClock.adjust("1 hour")
    const recordedState = yield* recordStates(health, "late")
    yield* recordedState.fails(unreachable)
    yield* (yield* recordStates(health, "key-3")).fails(keyless)
    yield* TestClock.adjust("1 minute")
    for (const one of askedSources) yield* one.answers
    yield* TestClock.adjust("5 seconds")
    const network = lines.filter((line) => line.includes("no source is") || line.includes("sources are"))
    assert.lengthOf(network, 2)
    assert.match(network[0]!, /since 2026-11-20T12:00:00\.000Z: unreachable, no answer within \d s;/u)
    assert.strictEqual(network[1], "Info sources are reachable again after 61 min")
  }).pipe(Effect.scoped))

it.effect("logs the cause and start of a source's outage, and its duration at the end", () =>
  Effect.gen(function*() {
    const { answers, fails, lines } = yield* setUp
    yield* answers
    yield* TestClock.adjust("1 minute")
    yield* fails(unreachable)
    yield* TestClock.adjust("5 seconds")
    yield* answers
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(lines, [], "a short failure is not logged")
    yield* fails(unreachable)
    const unavailableWarning = "Warn the source mill is unavailable since 2026-11-20T12:02:05.000Z: "
    const lastResponseText = "(last response 2026-11-20T12:01:05.000Z)"
    for (let minute = 0; minute < 20; minute++) {
      yield* TestClock.adjust("1 minute")
      yield* fails(unreachable)
    }
    const first = `${unavailableWarning}unreachable, the connection failed (ECONNREFUSED) ${lastResponseText}`
    assert.deepStrictEqual(lines, [first])
    yield* fails(blocked)
    yield* TestClock.adjust("5 seconds")
    const second = `${unavailableWarning}blocked, it does not serve this place (status 451) ${lastResponseText}`
    assert.deepStrictEqual(lines, [first, second])
    yield* TestClock.adjust("40 minutes")
    yield* fails(blocked)
    yield* TestClock.adjust("40 minutes")
    assert.deepStrictEqual(lines, [first, second], "an unchanged state is not logged again")
    yield* answers
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(lines.slice(2), ["Info the source mill is available again after 100 min"])
  }).pipe(Effect.scoped))

it.effect("logs a block at once, and that the source never answered", () =>
  Effect.gen(function*() {
    const { fails, lines } = yield* setUp
    yield* fails(blocked)
    yield* TestClock.adjust("5 seconds")
    assert.lengthOf(lines, 1)
    assert.match(lines[0]!, /^Warn the source mill is unavailable since .*blocked.*\(no response yet\)$/u)
  }).pipe(Effect.scoped))

it("logs a flickering source at most six times an hour, and its final state", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom("answers", "fails", "blocked"), fc.integer({ min: 1, max: 400 })), {
        maxLength: 40
      }),
      (steps) =>
        Effect.gen(function*() {
          const { answers, fails, lines } = yield* setUp
          const at: Array<number> = []
          const advanceSeconds = Effect.fnUntraced(function*(seconds: number) {
            for (let left = seconds; left > 0; left -= 5) {
              yield* TestClock.adjust(5_000)
              const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
              while (at.length < lines.length) at.push(now)
            }
          })
          for (const [description, seconds] of steps) {
            yield* description === "answers" ? answers : fails(description === "fails" ? unreachable : blocked)
            yield* advanceSeconds(seconds)
          }
          for (const one of at) assert.isAtMost(at.filter((other) => other > one - 3_600_000 && other <= one).length, 6)
          yield* fails(unreachable)
          yield* answers
          yield* advanceSeconds(3_700)
          if (lines.length > 0) assert.match(lines.at(-1)!, /is available again/u)
          for (const [i, line] of lines.entries()) {
            if (i > 0 && /is available again/u.test(line)) assert.notMatch(lines[i - 1]!, /is available again/u)
          }
        }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
    ),
    { numRuns: 10 }
  ))

it.live("logs no query of a request", () =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const server = yield* makeFakeServer(() => Effect.succeed({ status: 451, body: "not here" }))
    yield* Effect.gen(function*() {
      const source = yield* makeSource({ name: "mill", baseUrl: server.url, limits: [], retryPolicy: { maxTries: 1 } })
      const query = { key: "a-secret-key" }
      yield* Effect.ignore(source.json({ label: "prices", path: "/price", query, schema: Schema.Unknown }))
      yield* Layer.build(layerSourceLog)
      while (lines.length === 0) yield* Effect.yieldNow
    }).pipe(Effect.provide(SourceHealth.layer), Effect.provide(Logger.layer([logger])))
    assert.notInclude(lines.join("\n"), "secret")
    assert.notInclude(lines.join("\n"), "http")
  }).pipe(Effect.scoped))
