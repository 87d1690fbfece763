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
import { layerTaskRunner } from "../tasks/taskRunner.ts"
import type { FailpointTrigger, WorkerMessage, WorkerOptions, WorkerRequest } from "./protocol.ts"

/** The program of a worker process, which answers questions and runs tasks at the request of the parent process. */

// The cast is safe, because the parent process passes the options as JSON.
const options: WorkerOptions = JSON.parse(process.argv[2]!)
const plan = "soak"
const plans = {
  [plan]: { monthly_credits: 1_000_000, keys: 1, requests_per_minute: 1_000, answers_per_day: 10_000 }
}

const sendToParent = (message: WorkerMessage) =>
  new Promise<void>((resolve) => void process.send!(message, () => resolve()))

const originalFetch = globalThis.fetch
/**
 * Adds headers with the start time and the process id to each request. The headers reveal requests that were in flight
 * while the process was frozen.
 */
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set("begun", String(Date.now()))
  headers.set("by", String(process.pid))
  return originalFetch(input, { ...init, headers })
}

let failpointTrigger: FailpointTrigger | null = null
let visits = 0

const onFailpoint = (point: FailpointTrigger["point"]) =>
  Effect.promise(async () => {
    if (failpointTrigger?.point !== point || ++visits < failpointTrigger.nth) return
    const { signal } = failpointTrigger
    failpointTrigger = null
    await sendToParent({ _tag: "Trapped" })
    process.kill(process.pid, signal)
    if (signal === "SIGKILL") await new Promise(() => undefined)
  })

const failpoints = Layer.mergeAll(
  Layer.succeed(GenerationFailpoints, onFailpoint),
  Layer.succeed(TaskFailpoints, (point) => onFailpoint(`task ${point}`))
)

const lookUpTool = implement(
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

const makePrincipal = (account: number): Principal => ({
  account,
  actor: { _tag: "Key", key: 1 },
  plan,
  scopes: ["agent:chat", "read:market"]
})

const toJsonValues = (rows: unknown): unknown =>
  JSON.parse(JSON.stringify(rows, (_, value: unknown) => typeof value === "bigint" ? Number(value) : value))

/** The scope of the task runner, or null while no task runner runs. */
let taskScope: Scope.Closeable | null = null

const handleRequest = Effect.fnUntraced(function*(workerRequest: WorkerRequest) {
  const analyst = yield* Analyst
  switch (workerRequest.method) {
    case "createAccount":
      return (yield* Effect.flatMap(KeyStore, (keys) => keys.createAccount({ name: plan, plan, now: null }))).id
    case "start": {
      const { account, conversation, message } = workerRequest.params
      const request = { message, ...(conversation === null ? {} : { conversation_id: conversation }) }
      const { generation } = yield* analyst.start({ principal: makePrincipal(account), request })
      return { generation: generation.id, conversation: generation.conversation }
    }
    case "cancel":
      return yield* analyst.cancel(makePrincipal(workerRequest.params.account), workerRequest.params.conversation)
    case "follow":
      return yield* Stream.runCollect(analyst.follow(workerRequest.params.generation, workerRequest.params.after))
    case "query":
      return toJsonValues(yield* Effect.flatMap(SqlClient, (sql) => sql.unsafe(workerRequest.params.text)))
    case "issueKey": {
      const administration = yield* Administration
      const scopes = ["agent:chat", "read:market", "write:personal"] as const
      return (yield* administration.issueKey({ account: workerRequest.params.account, name: plan, scopes })).record.id
    }
    case "writeTask": {
      const { account, callId, change } = workerRequest.params
      return yield* (yield* TaskStore).write(account, callId, change)
    }
    case "mark":
      return yield* (yield* NotificationStore).markRead(workerRequest.params.account, workerRequest.params.callId, null)
    case "startTasks":
      taskScope = yield* Scope.make()
      yield* Layer.buildWithScope(layerTaskRunner(workerRequest.params.leaders), taskScope)
      return null
    case "stopTasks":
      if (taskScope !== null) yield* Scope.close(taskScope, Exit.void)
      taskScope = null
      return null
    case "setFailpoint":
      failpointTrigger = workerRequest.params
      visits = 0
      return null
  }
})

const { database } = options
const isShared = "url" in database
const connectionLayer: Layer.Layer<Database, DatabaseError> = isShared
  ? layerPostgres({ url: database.url })
  : layerPglite({ dataDir: database.dataDir })
const layerDatabase = Layer.provideMerge(layerMigrations, connectionLayer)
const runner = Layer.unwrap(Effect.map(
  generationHalts,
  (halts) => layerClusterRunner(isShared ? { nodes: "many", halts } : { nodes: "one" })
))
const engine = layerAgent({ runner }).pipe(
  Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([lookUpTool]), plans })),
  Layer.provide(layerOpenAiModel({ model: "fake", baseUrl: options.baseUrl })),
  Layer.provideMerge(PgStores),
  Layer.provide(failpoints),
  Layer.provideMerge(layerDatabase),
  Layer.provide(Layer.succeed(ClusterTiming, options.cluster)),
  Layer.provide(Layer.effect(AgentTiming, Effect.map(AgentTiming, (defaults) => ({ ...defaults, ...options.timing }))))
)

const program = Effect.gen(function*() {
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof handleRequest>>>()
  const stopped = Promise.withResolvers<void>()
  process.on("message", (workerRequest: WorkerRequest | "stop") => {
    if (workerRequest === "stop") return stopped.resolve()
    Effect.runPromiseWith(context)(Effect.sandbox(handleRequest(workerRequest))).then(
      (result) => sendToParent({ _tag: "Answered", id: workerRequest.id, result }),
      (cause: unknown) =>
        sendToParent({
          _tag: "Failed",
          id: workerRequest.id,
          error: Cause.isCause(cause) ? Cause.pretty(cause) : String(cause)
        })
    )
  })
  process.once("disconnect", () => process.exit(0))
  yield* Effect.promise(() => sendToParent({ _tag: "Ready" }))
  // The compile cache is written at the start, because a killed process writes nothing.
  flushCompileCache()
  yield* Effect.promise(() => stopped.promise)
})

await Effect.runPromise(Effect.provide(program, engine))
process.disconnect()
