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
  type PricePoint,
  reading,
  SourceUnavailable,
  type StockPrice,
  StoredEquities
} from "@tapeline/core/market"
import {
  type Awaited,
  NotificationStore,
  TaskFailpoints,
  taskFailpoints,
  TaskStore,
  TaskTiming
} from "@tapeline/core/personal"
import { MemoryStores } from "@tapeline/testing"
import { over, say, ScriptedModel } from "@tapeline/testing/agent/ScriptedModel"
import { seed } from "@tapeline/testing/seed"
import { Clock, Context, Effect, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { agentEngine, type Doings } from "../agent/agentEngine.ts"
import { fakeMarket } from "../tools/market.ts"

const minuteMs = 60_000

/** The process that runs a fiber. */
const CurrentNode = Context.Reference<string>("test/CurrentNode", { defaultValue: () => "test" })

/** A market whose values at the end of each minute are set by a test. */
export class Market {
  priceAt: (coin: string, end: number) => number | null = () => 100
  sharesAt: (end: number) => ReadonlyArray<StockPrice> = () => []
  /** Whether reads fail. */
  isAway = false
  knownUntil = Infinity
  /** Coins whose data ends earlier than that of others. */
  knownUntilOf: Readonly<Record<string, number>> = {}
  /** The names of all reads. */
  readonly asked: Array<string> = []

  /** Replaces the fake market's own minutes. */
  readonly layer = Layer.suspend(() => {
    const fake = fakeMarket().layer
    const away = new SourceUnavailable({ source: "test", failure: "unreachable", reason: "away", retryable: true })
    const prices = Layer.effect(
      Prices,
      Effect.map(Prices, (below): CoinPrices["Service"] => ({
        ...below,
        candlesByCoin: (query) => this.#read("candlesByCoin", below.candlesByCoin(query)),
        minutes: ({ after, coins, until }) =>
          this.#read(
            "minutes",
            Effect.suspend(() => {
              if (this.isAway) return Effect.fail(away)
              const minutesOf = (coin: string) => {
                const knownUntil = Math.min(until, this.knownUntil, this.knownUntilOf[coin] ?? Infinity)
                const points: Array<PricePoint> = []
                for (let time = (Math.floor(after / minuteMs) + 1) * minuteMs; time <= knownUntil; time += minuteMs) {
                  const price = this.priceAt(coin, time)
                  if (price !== null) points.push({ time, price })
                }
                return [coin, { knownUntil, points }] as const
              }
              return Effect.map(
                Clock.currentTimeMillis,
                (now) => reading(new Map(coins.map(minutesOf)), "test", now)
              )
            })
          )
      }))
    )
    const equities = Layer.succeed(StoredEquities, {
      // A sweep needs no other method.
      ...({} as StoredEquities["Service"]),
      pricesAt: ({ time }) => this.#read("pricesAt", Effect.sync(() => reading(this.sharesAt(time), "test", time)))
    })
    return Layer.mergeAll(prices.pipe(Layer.provideMerge(fake)), equities)
  })

  #read<A, E>(name: string, read: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.asked.push(name)
      return read
    })
  }
}

/** The usual run uses every second failpoint. */
const drawn = seed % 2

/** Points at which a process of these tests may die. */
export const deadlyPoints: ReadonlyArray<string> = [
  ...taskFailpoints.filter((point) => !point.endsWith(":write") && !point.endsWith(":mark")),
  "before:start",
  "after:start",
  "before:reserve",
  "after:reserve",
  "before:end",
  "within:end"
].filter((_, i) => process.env["TAPELINE_TEST_FULL"] === "1" || i % 2 === drawn)

/** Processes that die at a chosen point. After its death, no write of a process has an effect. */
export class Deaths {
  /** The process that dies, and the point at which it dies. */
  at: { readonly node: string; readonly point: string } | null = null
  readonly #dead = new Set<string>()
  readonly met = new Set<string>()

  isDead(node: string): boolean {
    return this.#dead.has(node)
  }

  readonly #hook = (point: string): Effect.Effect<void, StoreUnavailable> =>
    Effect.flatMap(Effect.service(CurrentNode), (node) => {
      if (node !== "test") this.met.add(point)
      if (this.at?.node === node && this.at.point === point) this.#dead.add(node)
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

export const answering = () => new ScriptedModel(() => [say("Because "), say("it did."), over])

/** Stores that several processes share. */
export const storesOf = (deaths: Deaths) => MemoryStores.pipe(Layer.provide(deaths.layer))

export const plans = { ...defaultPlans, mute: { ...defaultPlans["pro"]!, answers_per_day: 0 } }

interface NodeOptions {
  readonly hasAnalyst?: boolean
  readonly model?: ScriptedModel
  readonly doings?: Doings
  readonly stopping?: Effect.Effect<void>
  readonly scope?: Scope.Scope
  /** The interval between sweeps; the default if undefined. */
  readonly lookEveryMs?: number
  /** The time that a watch rests after a firing; the default if undefined. */
  readonly restMs?: number
}

/** An engine that runs tasks on the stores of the test, with or without an analyst. */
const layerNode = (name: string, market: Market, options: NodeOptions) => {
  const { doings, hasAnalyst = true, lookEveryMs, model = answering(), restMs, stopping } = options
  const tasks = layerTasks(stopping === undefined ? {} : { stopping })
  return (hasAnalyst ? Layer.provide(tasks, agentEngine(model, { plans, ...(doings && { doings }) })) : tasks).pipe(
    Layer.provide(DerivedStore.layer),
    Layer.provide(market.layer),
    Layer.provide(
      Layer.effect(
        TaskTiming,
        Effect.map(Effect.service(TaskTiming), (usual) => ({
          ...usual,
          ...(lookEveryMs && { lookEveryMs }),
          ...(restMs !== undefined && { restMs })
        }))
      )
    ),
    Layer.provide(Layer.succeed(CurrentNode, name)),
    Layer.fresh
  )
}

/** Removes the test's own analyst from the context, so that the process has none. */
const withoutAnalyst = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, (context: Context.Context<R>) =>
    // An effect that needs the analyst declares this in its type.
    Context.omit(Analyst)(context as Context.Context<R | Analyst>) as Context.Context<R>)

/** Starts a process. It runs until the test ends, or until `scope` closes. */
export const startNode = Effect.fnUntraced(function*(name: string, market: Market, options: NodeOptions = {}) {
  const scope = options.scope ?? (yield* Scope.make())
  const built = Layer.buildWithScope(layerNode(name, market, options), scope)
  yield* (options.hasAnalyst === false ? withoutAnalyst(built) : built).pipe(Effect.provideService(CurrentNode, name))
})

/**
 * Waits for digests. Other threads compute them, and the test clock does not wait for those threads. When as many new
 * digests as there are threads are computed, the earlier ones are computed too.
 */
const digested = Effect.promise(() =>
  Promise.all(Array.from({ length: 4 }, () => crypto.subtle.digest("SHA-256", new Uint8Array(1))))
)

/** Advances the clock in steps, until `isOver` or for `forMs`. */
export const pass = Effect.fnUntraced(function*(
  forMs: number,
  options: { readonly stepMs?: number; readonly isOver?: () => boolean } = {}
) {
  const { isOver = () => false, stepMs = 1_000 } = options
  for (let at = 0; at < forMs && !isOver(); at += stepMs) {
    yield* TestClock.adjust(stepMs)
    yield* digested
  }
})

/** Advances the clock until no claimed firing is in progress, for at most 40 seconds. */
export const settled = Effect.gen(function*() {
  const tasks = yield* TaskStore
  for (let i = 0; i < 80 && (yield* tasks.unfinished(0, 1)).length > 0; i++) yield* pass(500, { stepMs: 500 })
})

let calls = 0

/** Creates a task as its account would. */
export const makeTask = Effect.fnUntraced(function*(
  { account, key }: { readonly account: number; readonly key: number | null },
  awaited: Awaited,
  options: { readonly prompt?: string; readonly maxRuns?: number | null; readonly title?: string } = {}
) {
  const written = yield* (yield* TaskStore).write(account, `make ${++calls}`, {
    _tag: "Create",
    title: options.title ?? "watched",
    awaited,
    prompt: options.prompt ?? null,
    maxRuns: options.maxRuns === undefined ? 1 : options.maxRuns,
    lang: "en",
    key,
    conversation: null
  })
  return written._tag === "Task" ? written.task : yield* Effect.die(new Error("no task was made"))
})

/** A watch of BTC's price. */
export const price = (op: "gt" | "lt" | "cross_above" | "cross_below" | "gte" | "lte", value: number): Awaited => ({
  kind: "watch",
  spec: { metric: "price", market: "coin", symbol: "BTC", op, value }
})

/** The notifications and messages of an account's tasks, oldest first. */
export const leftBy = Effect.fnUntraced(function*(account: number) {
  const { notifications } = yield* (yield* NotificationStore).list(account, { unreadOnly: false, limit: 1_000 })
  const conversations = yield* ConversationStore
  const { items } = yield* conversations.list(account, { limit: 200, cursor: null, scopes: allScopes })
  const said: Array<readonly [conversation: number, role: string, content: string]> = []
  for (const { id } of items) {
    const memory = yield* conversations.memory(account, id, { upTo: null, limit: 200 })
    for (const { content, role } of memory?.messages ?? []) said.push([id, role, content])
  }
  return { bell: notifications.toReversed(), said }
})
