import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Server } from "./process.ts"

export const adminToken = "administration-token-of-these-tests"

/** Plans for any number of requests, one with seven credits, and one with a low rate limit. */
export const plans = JSON.stringify({
  pro: { requests_per_minute: 1_000_000 },
  premium: { requests_per_minute: 1_000_000, monthly_credits: 10_000_000 },
  seven: { monthly_credits: 7, keys: 2, requests_per_minute: 1_000_000, answers_per_day: 1 },
  narrow: { monthly_credits: 10_000, keys: 2, requests_per_minute: 20, answers_per_day: 1 }
})

/** The settings of every server of these tests, except its data storage. */
export const settings = { TAPELINE_ADMIN_TOKEN: adminToken, TAPELINE_PLANS: plans }

/** Whether tests use their full counts. Otherwise they use about a tenth. */
export const full = process.env["TAPELINE_TEST_FULL"] === "1"

/** No response: the connection was refused or lost. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", { cause: Schema.Defect() }) {}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The decoded body if it is JSON. Tests read it without types. */
  readonly body: any
}

export interface Asking {
  readonly key?: string
  /** A string is sent as it is. */
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request over a real socket. Interruption closes the connection. */
export const ask = (
  server: Pick<Server, "address">,
  method: string,
  path: string,
  { body, headers, key }: Asking = {}
): Effect.Effect<Answer, NoAnswer> =>
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
      const isJson = response.headers.get("content-type")?.includes("json") === true && text !== ""
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
    },
    catch: (cause) => new NoAnswer({ cause })
  })

/** Makes a call that costs one credit. */
export const getPrice = (
  server: Pick<Server, "address">,
  key: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Answer, NoAnswer> =>
  ask(server, "POST", "/v1/tools/get_price", { key, body: { coin: "BTC" }, headers })

interface Usage {
  readonly plan: string
  readonly credits: {
    readonly allotted: number
    readonly used: number
    readonly reserved: number
    readonly left: number
  }
  readonly tools: ReadonlyArray<
    { readonly name: string; readonly calls: number; readonly failed: number; readonly credits: number }
  >
}

export const usage = (server: Pick<Server, "address">, key: string) =>
  Effect.map(ask(server, "GET", "/v1/usage", { key }), ({ body, status }): Usage => {
    assert.strictEqual(status, 200)
    return body
  })

/** Sends a request to the admin API that must succeed. */
export const administer = (server: Pick<Server, "address">, method: string, path: string, body?: object) =>
  Effect.map(
    ask(server, method, `/admin/v1${path}`, { key: adminToken, ...(body === undefined ? {} : { body }) }),
    (answer) => {
      assert.isBelow(answer.status, 300, answer.text)
      return answer.body
    }
  )

/** Creates an account with keys that have the scope `read:market`. */
export const enrol = Effect.fnUntraced(function*(server: Pick<Server, "address">, plan: string, keys = 1) {
  const account: { readonly id: number } = yield* administer(server, "POST", "/accounts", { name: "test", plan })
  const issued: ReadonlyArray<{ readonly id: number; readonly key: string }> = yield* Effect.forEach(
    Array.from({ length: keys }),
    (_, i) => administer(server, "POST", `/accounts/${account.id}/keys`, { name: `key ${i}`, scopes: ["read:market"] })
  )
  return { account: account.id, keys: issued, key: issued[0]!.key }
})

/**
 * Repeats `look` until the result satisfies `satisfies`, or the deadline passes. Use it for effects of another process.
 */
export const eventually = <A, E>(
  what: string,
  look: Effect.Effect<A, E>,
  satisfies: (found: A) => boolean,
  withinMs = 30_000
): Effect.Effect<A, E> =>
  Effect.gen(function*() {
    const deadline = performance.now() + withinMs
    for (;;) {
      const found = yield* look
      if (satisfies(found)) return found
      if (performance.now() > deadline) {
        assert.fail(`${what}: not within ${withinMs} ms; last seen ${JSON.stringify(found)}`)
      }
      yield* Effect.sleep(25)
    }
  })
