import { assert, describe, it } from "@effect/vitest"
import { startFakeModel } from "@tapeline/testing/fakeModel"
import { Effect, type Scope } from "effect"
import { needsPgBouncer, startPgBouncer } from "../../postgres/test/support/pgbouncer.ts"
import { type ServerProcess, startServer } from "./support/process.ts"
import { callAdminApi, createAccount, pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { migratedPostgres, type TestDatabase } from "./support/testDatabases.ts"

interface Told {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

const words = Array.from({ length: 12 }, (_, i) => `word-${i} `)

/** A fake model that looks up a price, and stalls during its first answer. */
const model = Effect.acquireRelease(
  Effect.promise(() => {
    let answers = 0
    return startFakeModel({
      script: ({ body }) => {
        if (!Array.isArray(body?.["tools"])) return { acts: [{ text: "And then?" }] }
        const isNext = JSON.stringify(body["messages"]).includes("go on")
        if (isNext) return { acts: [{ text: "All is said." }] }
        const hasLooked = JSON.stringify(body["messages"]).includes("\"role\":\"tool\"")
        if (!hasLooked) return { acts: [{ text: "Let me look." }, { call: "get_price", arguments: { coin: "BTC" } }] }
        const texts = words.map((text) => ({ text }))
        return { acts: answers++ === 0 ? [...texts.slice(0, 5), "stall"] : texts }
      }
    })
  }),
  (fake) => Effect.promise(() => fake.close())
)

const reading = async (response: Response, isEnough: (told: ReadonlyArray<Told>) => boolean) => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const told: Array<Told> = []
  let text = ""
  while (!isEnough(told)) {
    const { done, value } = await reader.read()
    if (done) break
    const blocks = (text + value).split("\n\n")
    text = blocks.pop()!
    for (const block of blocks) {
      const of = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
      const data = of("data")
      if (data !== undefined) told.push({ id: of("id")!, event: of("event")!, data: JSON.parse(data) })
    }
  }
  return told
}

const textOf = (told: ReadonlyArray<Told>): string =>
  told.filter(({ event }) => event === "delta")
    .reduce((text, { data }) => text.slice(0, Number(data["offset"])) + String(data["text"]), "")

/** Starts two servers that share a database, each with its share of the cluster's shards. */
const twoServers = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>, place: TestDatabase) {
  const servers = yield* Effect.all([startServer(environment), startServer(environment)])
  const holders = place.sql((sql) =>
    Effect.orElseSucceed(
      sql.unsafe<{ readonly count: number }>(
        "select count(distinct address)::int as count from tapeline_cluster_locks"
      ),
      () => []
    )
  )
  yield* pollUntil("a cluster of two", holders, ([row]) => row?.count === 2, 30_000)
  return servers
})

const keyOf = Effect.fnUntraced(function*(server: ServerProcess) {
  const { account } = yield* createAccount(server, "premium")
  const { key }: { readonly key: string } = yield* callAdminApi(server, "POST", `/accounts/${account}/keys`, {
    name: "chat",
    scopes: ["read:market", "agent:chat"]
  })
  return { account, key }
})

/** Returns all stored rows of an account, as texts. */
const allOf = (place: TestDatabase, account: number) =>
  place.sql((sql) =>
    Effect.forEach(
      ["generations", "generation_steps", "generation_events", "messages", "conversations", "credit_reservations"],
      (table) => sql.unsafe(`select t::text as row from ${table} t where account = ${account} order by 1`)
    )
  )

const send = (
  server: ServerProcess,
  key: string,
  path: string,
  init: { readonly method?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {}
) =>
  Effect.promise(() =>
    fetch(`${server.address}/v1/agent/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers }
    })
  )

interface Case {
  readonly strike: "SIGKILL" | "SIGSTOP" | "SIGTERM"
  readonly place: TestDatabase
  readonly environment: Readonly<Record<string, string>>
}

const taken = (name: string, { environment, place, strike }: Case): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const fake = yield* model
    const [first, second] = yield* twoServers({
      ...testSettings,
      ...environment,
      OPENAI_BASE_URL: fake.baseUrl,
      OPENAI_MODEL: "fake"
    }, place)
    const { account, key } = yield* keyOf(second)
    const stream = yield* send(first, key, "stream", { method: "POST", body: JSON.stringify({ message: "BTC?" }) })
    const before = yield* Effect.promise(() => reading(stream, (told) => textOf(told).includes(words[4]!)))
    const conversation = Number(before[0]!.data["conversation_id"])

    const struck = performance.now()
    first.signal(strike)
    const row = place.sql((sql) =>
      sql.unsafe<{ readonly epoch: number; readonly state: string }>(
        `select epoch, state from generations where account = ${account}`
      )
    )
    const resumed = send(second, key, `resume/${conversation}`, { headers: { "last-event-id": before.at(-1)!.id } })
    const after = Effect.flatMap(resumed, (response) => Effect.promise(() => reading(response, () => false)))
    const [rest] = yield* Effect.all([
      after,
      pollUntil("the takeover", row, ([generation]) => generation?.epoch === 2, 10_000).pipe(
        Effect.tap(() =>
          Effect.sync(() => console.info(`${name}: taken over after ${Math.round(performance.now() - struck)} ms`))
        )
      )
    ], { concurrency: 2 })

    const told = [...before, ...rest]
    assert.deepStrictEqual(told.map(({ id }) => Number(id.split("-")[1])), told.map((_, i) => i + 1))
    assert.strictEqual(textOf(told), `Let me look.\n\n${words.join("")}`)
    const done = told.filter(({ event }) => event === "done")
    assert.deepStrictEqual(done.map(({ data }) => [data["outcome"], data["credits_used"]]), [["finished", 20]])
    assert.lengthOf(told.filter(({ event }) => event === "tool"), 1)
    // The process that finishes the answer also stores the suggested questions.
    assert.deepInclude(told.at(-1), { event: "suggest", data: { questions: ["And then?"] } })
    const late = yield* send(second, key, `resume/${conversation}`)
    assert.deepStrictEqual(yield* Effect.promise(() => late.json()), { running: false })

    const requests = () => fake.log().filter(({ body }) => Array.isArray(body?.["tools"])).length
    assert.strictEqual(requests(), 3)
    if (strike === "SIGSTOP") {
      yield* Effect.sleep(Math.max(0, 20_000 - (performance.now() - struck)))
      const stood = yield* allOf(place, account)
      first.signal("SIGCONT")
      // Only a wait that exceeds the period of all recurring work shows the absence of writes.
      yield* Effect.sleep(8_000)
      assert.deepStrictEqual(yield* allOf(place, account), stood)
      assert.strictEqual(requests(), 3)
      assert.isEmpty(fake.log().filter(({ closedAt }) => closedAt === null))
      yield* pollUntil("readiness", sendRequest(first, "GET", "/readyz"), ({ status }) => status === 200)
    }
    const next = strike === "SIGSTOP" ? first : second
    const answered = yield* sendRequest(next, "POST", "/v1/agent/messages", {
      key,
      body: { message: "go on", conversation_id: conversation }
    })
    assert.deepStrictEqual([answered.body.answer, answered.body.outcome], ["All is said.", "finished"])
  })

describe("An answer whose server", () => {
  const strikes = [
    { strike: "SIGKILL", what: "is killed" },
    { strike: "SIGTERM", what: "is stopped" },
    { strike: "SIGSTOP", what: "is frozen for 20 s" }
  ] as const
  for (const { strike, what } of strikes) {
    it.live(
      `${what} is taken over within 10 s, and no part is lost or repeated`,
      () =>
        Effect.gen(function*() {
          const place = yield* migratedPostgres
          yield* taken(strike, { place, strike, environment: place.environment })
        }),
      90_000
    )

    it.live(
      `${what} is taken over within 10 s behind PgBouncer in transaction mode`,
      () =>
        Effect.gen(function*() {
          const place = yield* migratedPostgres
          const direct = place.environment["DATABASE_URL"]!
          const url = yield* startPgBouncer(direct, "transaction")
          const environment = { ...place.environment, DATABASE_URL: url, DATABASE_DIRECT_URL: direct }
          yield* taken(`${strike} behind PgBouncer`, { place, strike, environment })
        }),
      { timeout: 90_000, ...needsPgBouncer }
    )
  }
})
