import { ClusterTiming, layerClusterRunner } from "@tapeline/cluster"
import { implement, layerAgent, layerEngine, specify, Toolbox } from "@tapeline/core"
import { AgentTiming, Analyst, GenerationFailpoints } from "@tapeline/core/agent"
import { Administration, KeyStore, type Principal } from "@tapeline/core/engine"
import { NotificationStore, TaskFailpoints, TaskStore } from "@tapeline/core/personal"
import { layerOpenAiModel } from "@tapeline/openai"
import {
  type Database,
  type DatabaseError,
  generationHalts,
  layerMigrations,
  layerPglite,
  layerPostgres,
  PgStores
} from "@tapeline/postgres"
import { Cause, Effect, Exit, Layer, Schema, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { flushCompileCache } from "node:module"
import { layerTending } from "../tasks/tending.ts"
import type { Order, Trap, Word, WorkerOptions } from "./protocol.ts"

/** A worker process that answers questions, and runs tasks on request of its parent. */

// The parent wrote this JSON.
const options: WorkerOptions = JSON.parse(process.argv[2]!)
const plan = "soak"
const plans = {
  [plan]: { monthly_credits: 1_000_000, keys: 1, requests_per_minute: 1_000, answers_per_day: 10_000 }
}

/** Sends a message to the parent. Resolves when it was delivered. */
const tell = (word: Word) => new Promise<void>((resolve) => void process.send!(word, () => resolve()))

const send = globalThis.fetch
/**
 * Adds the start time and the process id to each request, so that the upstream can detect requests that were in flight
 * during a freeze.
 */
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set("begun", String(Date.now()))
  headers.set("by", String(process.pid))
  return send(input, { ...init, headers })
}

let trap: Trap | null = null
let times = 0

const springAt = (point: Trap["point"]) =>
  Effect.promise(async () => {
    if (trap?.point !== point || ++times < trap.nth) return
    const { signal } = trap
    trap = null
    await tell({ _tag: "Trapped" })
    process.kill(process.pid, signal)
    if (signal === "SIGKILL") await new Promise(() => undefined)
  })

const failpoints = Layer.mergeAll(
  Layer.succeed(GenerationFailpoints, springAt),
  Layer.succeed(TaskFailpoints, (point) => springAt(`task ${point}`))
)

const lookUp = implement(
  specify({
    name: "look_up",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Looks it up.",
    parameters: Schema.Struct({ question: Schema.String.annotate({ description: "Of which question" }) }),
    result: Schema.Struct({ value: Schema.Finite }),
    example: { question: "first" }
  }),
  Effect.succeed(({ question }, { callId }) =>
    Effect.promise(() => fetch(`${options.toolUrl}/${question}/call:${callId.split("/").at(-1)}`, { method: "POST" }))
      .pipe(
        Effect.as({ value: 42 })
      )
  )
)

const principalOf = (account: number): Principal => ({
  account,
  actor: { _tag: "Key", key: 1 },
  plan,
  scopes: ["agent:chat", "read:market"]
})

const plain = (rows: unknown): unknown =>
  JSON.parse(JSON.stringify(rows, (_, value: unknown) => typeof value === "bigint" ? Number(value) : value))

/** The scope of the task runner, while it runs. */
let tending: Scope.Closeable | null = null

/** Executes an order. */
const obey = Effect.fnUntraced(function*(order: Order) {
  const analyst = yield* Analyst
  switch (order.what) {
    case "enrol":
      return (yield* Effect.flatMap(KeyStore, (keys) => keys.createAccount({ name: plan, plan, now: null }))).id
    case "start": {
      const { account, conversation, message } = order.asked
      const request = { message, ...(conversation === null ? {} : { conversation_id: conversation }) }
      const { generation } = yield* analyst.start({ principal: principalOf(account), request })
      return { generation: generation.id, conversation: generation.conversation }
    }
    case "cancel":
      return yield* analyst.cancel(principalOf(order.asked.account), order.asked.conversation)
    case "follow":
      return yield* Stream.runCollect(analyst.follow(order.asked.generation, order.asked.after))
    case "query":
      // Rows are returned as JSON values.
      return plain(yield* Effect.flatMap(SqlClient, (sql) => sql.unsafe(order.asked.text)))
    case "issueKey": {
      const administration = yield* Administration
      const scopes = ["agent:chat", "read:market", "write:personal"] as const
      return (yield* administration.issueKey({ account: order.asked.account, name: plan, scopes })).record.id
    }
    case "writeTask": {
      const { account, callId, change } = order.asked
      return yield* (yield* TaskStore).write(account, callId, change)
    }
    case "mark":
      return yield* (yield* NotificationStore).mark(order.asked.account, order.asked.callId, null)
    case "tend":
      tending = yield* Scope.make()
      yield* Layer.buildWithScope(layerTending(order.asked.leads), tending)
      return null
    case "rest":
      if (tending !== null) yield* Scope.close(tending, Exit.void)
      tending = null
      return null
    case "trap":
      trap = order.asked
      times = 0
      return null
  }
})

const { database } = options
const isShared = "url" in database
const bare: Layer.Layer<Database, DatabaseError> = isShared
  ? layerPostgres({ url: database.url })
  : layerPglite({ dataDir: database.dataDir })
const layerDatabase = Layer.provideMerge(layerMigrations, bare)
const runner = Layer.unwrap(Effect.map(
  generationHalts,
  (halts) => layerClusterRunner(isShared ? { nodes: "many", halts } : { nodes: "one" })
))
const engine = layerAgent({ runner }).pipe(
  Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([lookUp]), plans })),
  Layer.provide(layerOpenAiModel({ model: "fake", baseUrl: options.baseUrl })),
  Layer.provideMerge(PgStores),
  Layer.provide(failpoints),
  Layer.provideMerge(layerDatabase),
  Layer.provide(Layer.succeed(ClusterTiming, options.cluster)),
  Layer.provide(Layer.effect(AgentTiming, Effect.map(AgentTiming, (usual) => ({ ...usual, ...options.timing }))))
)

const program = Effect.gen(function*() {
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof obey>>>()
  const stopped = Promise.withResolvers<void>()
  process.on("message", (order: Order | "stop") => {
    if (order === "stop") return stopped.resolve()
    Effect.runPromiseWith(context)(Effect.sandbox(obey(order))).then(
      (answered) => tell({ _tag: "Answered", id: order.id, answered }),
      (cause: unknown) =>
        tell({ _tag: "Failed", id: order.id, error: Cause.isCause(cause) ? Cause.pretty(cause) : String(cause) })
    )
  })
  process.once("disconnect", () => process.exit(0))
  yield* Effect.promise(() => tell({ _tag: "Ready" }))
  // A killed process writes nothing, so the compile cache is written now.
  flushCompileCache()
  yield* Effect.promise(() => stopped.promise)
})

await Effect.runPromise(Effect.provide(program, engine))
process.disconnect()
