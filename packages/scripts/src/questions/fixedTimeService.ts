import { runAsOf } from "@tapeline/core"
import { layerServer, readSettings } from "@tapeline/server"
import { Effect, Layer, Schema, type Scope } from "effect"
import { HttpServer } from "effect/http"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const adminToken = randomUUID()
const environment = (dataDir: string) => ({
  HOST: "127.0.0.1",
  PORT: "0",
  TAPELINE_DATA_DIR: dataDir,
  TAPELINE_ADMIN_TOKEN: adminToken,
  TAPELINE_LOG_LEVEL: "Error",
  TAPELINE_PLANS: JSON.stringify({
    reader: { monthly_credits: 1_000_000, keys: 1, requests_per_minute: 1_000_000, answers_per_day: 0 }
  })
})

const dataFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-questions-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The service did not respond, or sent an unexpected response. */
export class NotAnswered extends Schema.TaggedError<NotAnswered>()("NotAnswered", { reason: Schema.String }) {}

export interface ToolResult {
  readonly credits: number
  readonly data: unknown
}

const postJson = (url: string, token: string, body: object) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        signal,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status} ${text}`)
      return text
    },
    catch: (error) => new NotAnswered({ reason: `${url} ${JSON.stringify(body)}: ${String(error)}` })
  })

const readAccount = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ id: Schema.Number })))
const readKey = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ key: Schema.String })))
const readAnswer = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ credits_used: Schema.Number, data: Schema.Unknown }))
)
const hasError = Schema.is(Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }))

export type CallTool = (name: string, args: object) => Effect.Effect<ToolResult, NotAnswered>

/** Starts the service at a fixed time, and stops the service when the scope closes. */
export const startServiceAt = Effect.fnUntraced(function*(
  time: number
): Effect.fn.Return<CallTool, NotAnswered, Scope.Scope> {
  const services = yield* readSettings(environment(yield* dataFolder)).pipe(
    Effect.flatMap((settings) => Layer.build(layerServer(settings))),
    Effect.mapError((error) => new NotAnswered({ reason: `the service did not start: ${error.message}` })),
    (start) => runAsOf(start, time)
  )
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, services)
  const baseUrl = HttpServer.formatAddress(address)
  const account = readAccount(
    yield* postJson(`${baseUrl}/admin/v1/accounts`, adminToken, { name: "reader", plan: "reader" })
  )
  const { key } = readKey(
    yield* postJson(`${baseUrl}/admin/v1/accounts/${account.id}/keys`, adminToken, {
      name: "reader",
      scopes: ["read:market"]
    })
  )
  const callTool: CallTool = Effect.fnUntraced(function*(name, args) {
    const { credits_used: credits, data } = readAnswer(yield* postJson(`${baseUrl}/v1/tools/${name}`, key, args))
    return hasError(data) ? yield* new NotAnswered({ reason: `${name}: ${data.error.message}` }) : { credits, data }
  })
  return callTool
})
