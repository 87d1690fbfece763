import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { ServerProcess } from "./process.ts"

export const adminToken = "administration-token-of-these-tests"

export const testPlans = JSON.stringify({
  pro: { requests_per_minute: 1_000_000 },
  premium: { requests_per_minute: 1_000_000, monthly_credits: 10_000_000 },
  seven: { monthly_credits: 7, keys: 2, requests_per_minute: 1_000_000, answers_per_day: 1 },
  narrow: { monthly_credits: 10_000, keys: 2, requests_per_minute: 20, answers_per_day: 1 }
})

export const testSettings = { TAPELINE_ADMIN_TOKEN: adminToken, TAPELINE_PLANS: testPlans }

export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", { cause: Schema.Defect() }) {}

export interface ServerResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body, if the text is JSON, without a check of its type. */
  readonly body: any
}

export interface RequestOptions {
  readonly key?: string
  /** The body of the request. A string is sent unchanged, and an object as JSON. */
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request on a real socket. An interruption closes the connection. */
export const sendRequest = (
  server: Pick<ServerProcess, "address">,
  method: string,
  path: string,
  { body, headers, key }: RequestOptions = {}
): Effect.Effect<ServerResponse, NoAnswer> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(server.address + path, {
        method,
        signal,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
      const text = await response.text()
      const isJson = /json(;|$)/.test(response.headers.get("content-type") ?? "") && text !== ""
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
    },
    catch: (cause) => new NoAnswer({ cause })
  })

export const callGetPrice = (
  server: Pick<ServerProcess, "address">,
  key: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<ServerResponse, NoAnswer> =>
  sendRequest(server, "POST", "/v1/tools/get_price", { key, body: { coin: "BTC" }, headers })

interface Usage {
  readonly plan: string
  readonly credits: {
    readonly allotted: number
    readonly adjusted: number
    readonly used: number
    readonly reserved: number
    readonly left: number
  }
  readonly tools: ReadonlyArray<
    { readonly name: string; readonly calls: number; readonly failed: number; readonly credits: number }
  >
}

export const getUsage = (server: Pick<ServerProcess, "address">, key: string) =>
  Effect.map(sendRequest(server, "GET", "/v1/usage", { key }), ({ body, status }): Usage => {
    assert.strictEqual(status, 200)
    return body
  })

export const callAdminApi = (server: Pick<ServerProcess, "address">, method: string, path: string, body?: object) =>
  Effect.map(
    sendRequest(server, method, `/admin/v1${path}`, { key: adminToken, ...(body === undefined ? {} : { body }) }),
    (answer) => {
      assert.isBelow(answer.status, 300, answer.text)
      return answer.body
    }
  )

export const createAccount = Effect.fnUntraced(
  function*(server: Pick<ServerProcess, "address">, plan: string, keys = 1) {
    const account: { readonly id: number } = yield* callAdminApi(server, "POST", "/accounts", { name: "test", plan })
    const issued: ReadonlyArray<{ readonly id: number; readonly key: string }> = yield* Effect.forEach(
      Array.from({ length: keys }),
      (_, i) =>
        callAdminApi(server, "POST", `/accounts/${account.id}/keys`, { name: `key ${i}`, scopes: ["read:market"] })
    )
    return { account: account.id, keys: issued, key: issued[0]!.key }
  }
)

/** Repeats `read` until the result satisfies `satisfies`, or the deadline passes. */
export const pollUntil = <A, E>(
  description: string,
  read: Effect.Effect<A, E>,
  satisfies: (value: A) => boolean,
  withinMs = 30_000
): Effect.Effect<A, E> =>
  Effect.gen(function*() {
    const deadline = performance.now() + withinMs
    for (;;) {
      const value = yield* read
      if (satisfies(value)) return value
      if (performance.now() > deadline) {
        assert.fail(`${description}: not within ${withinMs} ms; last seen ${JSON.stringify(value)}`)
      }
      yield* Effect.sleep(25)
    }
  })
