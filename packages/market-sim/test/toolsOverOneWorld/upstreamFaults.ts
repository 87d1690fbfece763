/** Tests each tool while its sources fail in every way: through the engine, with credits. */
import { assert, layer as withLayer } from "@effect/vitest"
import {
  type CallOutcome,
  DerivedStore,
  type FailureCode,
  layerEngine,
  Ledger,
  type Principal,
  specifications,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import { ArtifactStore, ChartRenderer, layerNewsSearch } from "@tapeline/core/analysis"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { layerSandbox } from "@tapeline/sandbox"
import { enrol, type FaultName, makeFaultyPorts, MemoryStores } from "@tapeline/testing"
import { seed } from "@tapeline/testing/seed"
import { Effect, Exit, Fiber, Layer, Predicate } from "effect"
import { TestClock } from "effect/testing"
import { full } from "../support/counts.ts"
import { now, whole } from "../support/patchy.ts"

const market = makeFaultyPorts()
const toolbox = Toolbox.layer(tools)
const engine = layerEngine({ toolbox }).pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStores, layerSandbox({ sandboxes: 1 }), DerivedStore.layer)),
  Layer.provideMerge(market.layer.pipe(Layer.provide(whole))),
  // The clock is set before periodic work starts. Otherwise, the engine would catch up on half a century.
  Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
)
/** Gives all charts the same name, so that a repeated chart is equal. */
const charts = Layer.merge(
  Layer.succeed(ChartRenderer, {
    draw: ({ height, width }) => Effect.succeed({ svg: "<svg/>", png: Uint8Array.of(1), width, height })
  }),
  Layer.succeed(ArtifactStore, {
    keep: ({ about }) => Effect.succeed({ id: "a".repeat(32), about }),
    image: () => Effect.succeed(null)
  })
)
/** Tools without cached market data, over the same ledger and sources. */
const forgetful = Layer.fresh(
  ToolCaller.layer.pipe(
    Layer.provide(toolbox),
    Layer.provide(charts),
    Layer.provide(Layer.merge(DerivedStore.layer, Layer.provide(layerNewsSearch, LocalEmbeddings)))
  )
)

const portOf = (read: string): string => read.split(".", 1)[0]!

interface Expected {
  readonly code: FailureCode
  readonly retryable: boolean
  /** A text that the message contains in addition to the source. */
  readonly says: string
}

const away = (says: string, retryable = true): Expected => ({ code: "source_unavailable", retryable, says })

/** The expected outcome of a call for each way in which a read fails. */
const failing: ReadonlyArray<readonly [FaultName, Expected]> = [
  ["unreachable", away("cannot be reached")],
  ["busy", away("try again shortly")],
  ["busy for a while", away("try again in 7 s")],
  ["unreadable", away("cannot be read")],
  ["silent", { code: "timeout", retryable: true, says: "did not finish within" }]
]

/** Outcomes that are no failure of a source: a tool may return a result without the data, and reports this. */
const lacking: ReadonlyArray<readonly [FaultName, Expected]> = [
  ["without a setting", away("THE_KEY", false)],
  ["ignorant", { code: "unknown_symbol", retryable: false, says: "NOTHERE" }]
]

/** Callers of get_regime do not name BTC, so hours of BTC that a source does not know are missing data. */
const regimeWithoutHours: Expected = { code: "no_data", retryable: false, says: "too few were recorded" }

/** Reads that a tool can do without, which it then reports, unless it waits for them too long. */
const dispensable: Readonly<Record<string, ReadonlyArray<string>>> = {
  get_kr_listings: ["ExchangeRates.rate"],
  get_kr_market: ["EquityMarkets.market", "ExchangeRates.rate"],
  search_news: ["EquityMarkets.stocks"]
}

/** Values that no adapter may return. */
const nonsense: ReadonlyArray<FaultName> = full
  ? ["without numbers", "beyond numbers", "of wrong types"]
  : ["without numbers"]
/** The ways in which a read fails: all of them at full counts, otherwise one. */
const waysAt = <A>(ways: ReadonlyArray<A>, turn: number): ReadonlyArray<A> =>
  full ? ways : [ways[(Math.floor(seed / 31) + turn) % ways.length]!]

/** The reads of a tool that fail: all of them at full counts, otherwise one. */
const failingReads = (reads: ReadonlyArray<string>, turn: number): ReadonlyArray<string> =>
  full ? reads : reads.filter((_, place) => place === (seed + turn) % reads.length)

type Specification = typeof specifications[number]

/** Calls a tool, for one coin if the tool takes a coin, because all coins cause the same reads. */
const callOf = Effect.fnUntraced(function*(principal: Principal, { example, name, parameters }: Specification) {
  const caller = yield* ToolCaller
  const ofOne = "coin" in parameters.fields && !("symbol" in parameters.fields) ? { coin: "BTC" } : {}
  return yield* caller.call({ principal, name, arguments: { ...ofOne, ...example } })
})

const usedBy = ({ account }: Principal) =>
  Effect.flatMap(Ledger, (ledger) =>
    Effect.map(ledger.books(account), (books) => {
      assert.strictEqual(books!.reserved, 0)
      return books!.used
    }))

/** The notes and warnings of a result. */
const saidIn = (data: unknown): ReadonlyArray<unknown> =>
  ["notes", "warnings"].flatMap((name) => {
    const said = Predicate.hasProperty(data, name) ? data[name] : []
    return Array.isArray(said) ? said : []
  })

/**
 * Advances the clock while a read waits, with turns of the event loop between the seconds, until the call has ended.
 */
const untilEnded = <A, E>(call: Fiber.Fiber<A, E>) =>
  Effect.whileLoop({
    while: () => call.pollUnsafe() === undefined,
    body: () =>
      Effect.andThen(
        // A script runs in real time, so the clock moves only while a read waits.
        Effect.suspend(() => market.waiting() > 0 ? TestClock.adjust("1 second") : Effect.void),
        Effect.promise(() => new Promise((turn) => setImmediate(turn)))
      ),
    step: () => {}
  })

/** Makes a call while a read fails in the given way. No work of the call continues afterwards. */
const during = Effect.fnUntraced(function*(
  fault: FaultName,
  read: string,
  call: Effect.Effect<CallOutcome, unknown, ToolCaller>
) {
  market.fail(fault, read)
  const fiber = yield* Effect.forkChild(Effect.exit(call))
  if (fault === "silent") yield* untilEnded(fiber)
  const exit = yield* Fiber.join(fiber)
  market.heal()
  yield* TestClock.setTime(now)
  assert.strictEqual(market.waiting(), 0, "a read outlived its call")
  return exit
})

/** Asserts that the call failed as expected and cost nothing. */
const failed = ({ code, retryable, says }: Expected, read: string, { envelope, failure }: CallOutcome): void => {
  assert.isNotNull(failure, "it answers")
  assert.strictEqual(envelope.credits_used, 0)
  assert.deepInclude(failure, { code, retryable }, failure.message)
  assert.include(failure.message, says)
  if (code !== "source_unavailable") return
  assert.include(failure.message, says === "THE_KEY" ? says : `source of ${portOf(read)}`)
}

/**
 * A script did not catch the failure of its call. If a source failed temporarily or was late, the script fails without
 * a charge and without its own text. Otherwise the script has a result.
 */
const scriptFailed = ({ code, retryable }: Expected, { envelope, failure }: CallOutcome): void => {
  const isFree = retryable && (code === "source_unavailable" || code === "timeout")
  if (isFree) assert.deepInclude(failure, { code: "source_unavailable", retryable })
  else assert.deepInclude(envelope.data, { value: null, logs: [] })
  assert.strictEqual(envelope.credits_used, isFree ? 0 : 20)
}

/** Asserts that missing data does not change the result, or that the result reports it. */
const tellsWhatIsMissing = ({ envelope }: CallOutcome, healthy: unknown): void => {
  const known = saidIn(healthy)
  if (saidIn(envelope.data).some((line) => !known.includes(line))) return
  assert.deepStrictEqual(envelope.data, healthy, "it does not say what is missing")
}

/** Journal records do not wait for a source: if it is unavailable, a coin's name is accepted unchecked. */
const onSources = specifications.filter(({ name, scope }) => scope !== "write:personal" && name !== "get_trade_history")

withLayer(engine, { timeout: 120_000 })("sources that fail below every tool", (it) => {
  for (const [nth, specification] of onSources.entries()) {
    const { credits, name } = specification
    // The usual run tests a quarter of the tools.
    it.effect.runIf(full || (seed >> 5) % 4 === nth % 4)(
      `${name} says what failed, and charges nothing for it`,
      () =>
        Effect.gen(function*() {
          const { principal } = yield* enrol({ plan: "premium" })
          const call = callOf(principal, specification)
          market.asked.clear()
          const { envelope: { data: healthy }, failure } = yield* Effect.provide(call, forgetful)
          assert.isNull(failure)
          let used = yield* usedBy(principal)
          assert.strictEqual(used, credits)
          const reads = failingReads([...market.asked], nth)

          const isEven = (seed + nth) % 2 === 0

          const tried = Effect.fnUntraced(function*(fault: FaultName, read: string) {
            const exit = yield* during(fault, read, call)
            if (Exit.isSuccess(exit) && exit.value.failure === null) used += credits
            assert.strictEqual(yield* usedBy(principal), used)
            return exit
          })
          for (const [place, read] of reads.entries()) {
            const isLast = read === reads.at(-1)
            yield* Effect.gen(function*() {
              for (const [fault, expected] of waysAt(failing, nth + place)) {
                const outcome = yield* yield* tried(fault, read)
                const isPart = outcome.failure === null && dispensable[name]?.includes(read) === true
                if (isPart) tellsWhatIsMissing(outcome, healthy)
                else if (name === "run_code") scriptFailed(expected, outcome)
                else failed(expected, read, outcome)
              }
              // A failed read is not cached.
              if (!isLast) return
              const healed = yield* call
              used += credits
              assert.deepStrictEqual(healed.envelope.data, healthy)
            }).pipe(Effect.provide(forgetful))
            for (const [fault, expected] of full || isEven ? waysAt(lacking, nth + place) : []) {
              const outcome = yield* yield* Effect.provide(tried(fault, read), forgetful)
              if (name === "run_code") scriptFailed(expected, outcome)
              else if (outcome.failure === null) tellsWhatIsMissing(outcome, healthy)
              else {
                const lacksHours = name === "get_regime" && fault === "ignorant" && outcome.failure.code === "no_data"
                failed(lacksHours ? regimeWithoutHours : expected, read, outcome)
              }
            }
            for (const fault of full || !isEven ? nonsense : []) {
              const exit = yield* Effect.provide(tried(fault, read), forgetful)
              // A result that does not match its schema is a defect, which is not charged either.
              if (Exit.isSuccess(exit)) assert.notMatch(JSON.stringify(exit.value.envelope.data), /NaN|Infinity/u)
            }
          }
        })
    )
  }
})
