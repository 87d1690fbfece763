import {
  allScopes,
  type CoinPrices,
  defaultPlans,
  DerivedStore,
  Failpoints,
  layerTasks,
  StoreUnavailable
} from "@tapeline/core"
import { Analyst, ConversationStore, GenerationFailpoints } from "@tapeline/core/agent"
import {
  CoinPrices as Prices,
  makeReading,
  type PricePoint,
  SourceUnavailable,
  type StockPrice,
  StoredEquities
} from "@tapeline/core/market"
import {
  NotificationStore,
  TaskFailpoints,
  taskFailpoints,
  TaskStore,
  TaskTiming,
  type TaskTrigger
} from "@tapeline/core/personal"
import { MemoryStores } from "@tapeline/testing"
import { endPart, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import { Clock, Context, Effect, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { makeAgentEngine, type ToolRecorder } from "../agent/agentEngine.ts"
import { makeFakeMarket } from "../tools/fakeMarket.ts"

const minuteMs = 60_000

const CurrentNode = Context.Reference<string>("test/CurrentNode", { defaultValue: () => "test" })

/** A market in which a test sets the values at the end of each minute. */
export class TestMarket {
  priceAt: (coin: string, end: number) => number | null = () => 100
  sharesAt: (end: number) => ReadonlyArray<StockPrice> = () => []
  isUnavailable = false
  knownUntil = Infinity
  /** The ends of the data of coins whose data ends earlier than that of the other coins. */
  knownUntilByCoin: Readonly<Record<string, number>> = {}
  readonly reads: Array<string> = []

  readonly layer = Layer.suspend(() => {
    const fake = makeFakeMarket().layer
    const unavailable = new SourceUnavailable({
      source: "test",
      failure: "unreachable",
      reason: "away",
      retryable: true
    })
    const prices = Layer.effect(
      Prices,
      Effect.map(Prices, (fakePrices): CoinPrices["Service"] => ({
        ...fakePrices,
        candlesByCoin: (query) => this.#read("candlesByCoin", fakePrices.candlesByCoin(query)),
        minutes: ({ after, coins, until }) =>
          this.#read(
            "minutes",
            Effect.suspend(() => {
              if (this.isUnavailable) return Effect.fail(unavailable)
              const makeMinutes = (coin: string) => {
                const knownUntil = Math.min(until, this.knownUntil, this.knownUntilByCoin[coin] ?? Infinity)
                const points: Array<PricePoint> = []
                for (let time = (Math.floor(after / minuteMs) + 1) * minuteMs; time <= knownUntil; time += minuteMs) {
                  const price = this.priceAt(coin, time)
                  if (price !== null) points.push({ time, price })
                }
                return [coin, { knownUntil, points }] as const
              }
              return Effect.map(
                Clock.currentTimeMillis,
                (now) => makeReading(new Map(coins.map(makeMinutes)), "test", now)
              )
            })
          )
      }))
    )
    const equities = Layer.succeed(StoredEquities, {
      // The cast is safe, because a sweep calls no other method of `StoredEquities`.
      ...({} as StoredEquities["Service"]),
      pricesAt: ({ time }) => this.#read("pricesAt", Effect.sync(() => makeReading(this.sharesAt(time), "test", time)))
    })
    return Layer.mergeAll(prices.pipe(Layer.provideMerge(fake)), equities)
  })

  #read<A, E>(name: string, read: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.reads.push(name)
      return read
    })
  }
}

const failpointParity = seed % 2

/** The failpoints at which a simulated process may crash. */
export const deadlyPoints: ReadonlyArray<string> = [
  ...taskFailpoints.filter((point) => !point.endsWith(":write") && !point.endsWith(":mark")),
  "before:start",
  "after:start",
  "before:reserve",
  "after:reserve",
  "before:end",
  "within:end"
].filter((_, i) => isFullRun || i % 2 === failpointParity)

/** Simulates processes that crash at a chosen failpoint. After the crash, no write of the process has an effect. */
export class CrashSimulator {
  crashPoint: { readonly node: string; readonly point: string } | null = null
  readonly #dead = new Set<string>()
  readonly reachedPoints = new Set<string>()

  isDead(node: string): boolean {
    return this.#dead.has(node)
  }

  readonly #hook = (point: string): Effect.Effect<void, StoreUnavailable> =>
    Effect.flatMap(Effect.service(CurrentNode), (node) => {
      if (node !== "test") this.reachedPoints.add(point)
      if (this.crashPoint?.node === node && this.crashPoint.point === point) this.#dead.add(node)
      return this.#dead.has(node) ? Effect.never : Effect.void
    })

  get layer() {
    return Layer.mergeAll(
      Layer.succeed(TaskFailpoints, this.#hook),
      Layer.succeed(GenerationFailpoints, this.#hook),
      Layer.succeed(Failpoints, this.#hook)
    )
  }
}

export const makeAnsweringModel = () => new ScriptedModel(() => [textPart("Because "), textPart("it did."), endPart])

export const makeStores = (crashes: CrashSimulator) => MemoryStores.pipe(Layer.provide(crashes.layer))

export const plans = { ...defaultPlans, mute: { ...defaultPlans["pro"]!, answers_per_day: 0 } }

interface NodeOptions {
  readonly hasAnalyst?: boolean
  readonly model?: ScriptedModel
  readonly recorder?: ToolRecorder
  readonly stopping?: Effect.Effect<void>
  readonly scope?: Scope.Scope
  readonly sweepIntervalMs?: number
  /** The time for which a watch does not fire again after a firing, or undefined for the default. */
  readonly cooldownMs?: number
}

/** An engine that runs tasks on the stores of the test, with or without an analyst. */
const layerTestNode = (name: string, market: TestMarket, options: NodeOptions) => {
  const { recorder, hasAnalyst = true, sweepIntervalMs, model = makeAnsweringModel(), cooldownMs, stopping } = options
  const tasks = layerTasks(stopping === undefined ? {} : { stopping })
  return (hasAnalyst ? Layer.provide(tasks, makeAgentEngine(model, { plans, ...(recorder && { recorder }) })) : tasks)
    .pipe(
      Layer.provide(DerivedStore.layer),
      Layer.provide(market.layer),
      Layer.provide(
        Layer.effect(
          TaskTiming,
          Effect.map(Effect.service(TaskTiming), (defaults) => ({
            ...defaults,
            ...(sweepIntervalMs && { sweepIntervalMs }),
            ...(cooldownMs !== undefined && { cooldownMs })
          }))
        )
      ),
      Layer.provide(Layer.succeed(CurrentNode, name)),
      Layer.fresh
    )
}

/** Removes the analyst of the test from the context, so that the node has no analyst. */
const omitAnalyst = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, (context: Context.Context<R>) =>
    // The type cast is safe, because an effect that needs the analyst declares the requirement in its type.
    Context.omit(Analyst)(context as Context.Context<R | Analyst>) as Context.Context<R>)

/** Starts a process that runs until the test ends, or until `scope` closes. */
export const startNode = Effect.fnUntraced(function*(name: string, market: TestMarket, options: NodeOptions = {}) {
  const scope = options.scope ?? (yield* Scope.make())
  const buildNode = Layer.buildWithScope(layerTestNode(name, market, options), scope)
  yield* (options.hasAnalyst === false ? omitAnalyst(buildNode) : buildNode).pipe(
    Effect.provideService(CurrentNode, name)
  )
})

/**
 * Waits for SHA-256 digests that other threads compute, for which the test clock does not wait. When as many new
 * digests as there are threads are complete, all earlier digests are complete too.
 */
const awaitDigests = Effect.promise(() =>
  Promise.all(Array.from({ length: 4 }, () => crypto.subtle.digest("SHA-256", new Uint8Array(1))))
)

/** Advances the clock in steps, until `isOver` or for `forMs`. */
export const advanceClock = Effect.fnUntraced(function*(
  forMs: number,
  options: { readonly stepMs?: number; readonly isOver?: () => boolean } = {}
) {
  const { isOver = () => false, stepMs = 1_000 } = options
  for (let elapsedMs = 0; elapsedMs < forMs && !isOver(); elapsedMs += stepMs) {
    yield* TestClock.adjust(stepMs)
    yield* awaitDigests
  }
})

/** Advances the clock until no claimed firing is in progress, for at most 40 seconds. */
export const advanceUntilSettled = Effect.gen(function*() {
  const tasks = yield* TaskStore
  for (let i = 0; i < 80 && (yield* tasks.listUnfinished(0, 1)).length > 0; i++) {
    yield* advanceClock(500, { stepMs: 500 })
  }
})

let callCount = 0

export const createTestTask = Effect.fnUntraced(function*(
  { account, key }: { readonly account: number; readonly key: number | null },
  trigger: TaskTrigger,
  options: { readonly prompt?: string; readonly maxRuns?: number | null; readonly title?: string } = {}
) {
  const result = yield* (yield* TaskStore).write(account, `make ${++callCount}`, {
    _tag: "Create",
    title: options.title ?? "watched",
    trigger,
    prompt: options.prompt ?? null,
    maxRuns: options.maxRuns === undefined ? 1 : options.maxRuns,
    lang: "en",
    key,
    conversation: null
  })
  return result._tag === "Task" ? result.task : yield* Effect.die(new Error("no task was made"))
})

export const makePriceWatch = (
  op: "gt" | "lt" | "cross_above" | "cross_below" | "gte" | "lte",
  value: number
): TaskTrigger => ({
  kind: "watch",
  spec: { metric: "price", market: "coin", symbol: "BTC", op, value }
})

/** Returns the notifications and messages of an account's tasks, oldest first. */
export const readReports = Effect.fnUntraced(function*(account: number) {
  const { notifications } = yield* (yield* NotificationStore).list(account, { unreadOnly: false, limit: 1_000 })
  const conversations = yield* ConversationStore
  const { items } = yield* conversations.list(account, { limit: 200, cursor: null, scopes: allScopes })
  const messages: Array<readonly [conversation: number, role: string, content: string]> = []
  for (const { id } of items) {
    const memory = yield* conversations.readHistory(account, id, { upTo: null, limit: 200 })
    for (const { content, role } of memory?.messages ?? []) messages.push([id, role, content])
  }
  return { notifications: notifications.toReversed(), messages: messages }
})
