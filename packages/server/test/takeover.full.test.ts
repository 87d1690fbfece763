import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { needsPgBouncer, startPgBouncer } from "../../postgres/test/support/pgbouncer.ts"
import { createChatKey, readEvents, sendToAgent, startStallingModel, textOf, words } from "./support/answerStreams.ts"
import { startServer } from "./support/process.ts"
import { pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { migratedPostgres, type TestDatabase } from "./support/testDatabases.ts"

/** Starts two servers on one database, and waits until both have shards of the cluster. */
const twoServers = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>, database: TestDatabase) {
  const servers = yield* Effect.all([startServer(environment), startServer(environment)])
  const holders = database.sql((sql) =>
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

/** Returns all stored rows of an account, as texts. */
const allOf = (database: TestDatabase, account: number) =>
  database.sql((sql) =>
    Effect.forEach(
      ["generations", "generation_steps", "generation_events", "messages", "conversations", "credit_reservations"],
      (table) => sql.unsafe(`select t::text as row from ${table} t where account = ${account} order by 1`)
    )
  )

interface Case {
  readonly strike: "SIGKILL" | "SIGSTOP" | "SIGTERM"
  readonly database: TestDatabase
  readonly environment: Readonly<Record<string, string>>
}

const testTakeover = (
  name: string,
  { environment, database, strike }: Case
): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const fake = yield* startStallingModel
    const [first, second] = yield* twoServers({
      ...testSettings,
      ...environment,
      OPENAI_BASE_URL: fake.baseUrl,
      OPENAI_MODEL: "fake"
    }, database)
    const { account, key } = yield* createChatKey(second)
    const stream = yield* sendToAgent(first, key, "stream", {
      method: "POST",
      body: JSON.stringify({ message: "BTC?" })
    })
    const before = yield* Effect.promise(() => readEvents(stream, (events) => textOf(events).includes(words[4]!)))
    const conversation = Number(before[0]!.data["conversation_id"])

    const killedAt = performance.now()
    first.signal(strike)
    const row = database.sql((sql) =>
      sql.unsafe<{ readonly epoch: number; readonly state: string }>(
        `select epoch, state from generations where account = ${account}`
      )
    )
    const resumed = sendToAgent(second, key, `resume/${conversation}`, {
      headers: { "last-event-id": before.at(-1)!.id }
    })
    const after = Effect.flatMap(resumed, (response) => Effect.promise(() => readEvents(response, () => false)))
    const [rest] = yield* Effect.all([
      after,
      pollUntil("the takeover", row, ([generation]) => generation?.epoch === 2, 10_000).pipe(
        Effect.tap(() =>
          Effect.sync(() => console.info(`${name}: taken over after ${Math.round(performance.now() - killedAt)} ms`))
        )
      )
    ], { concurrency: 2 })

    const events = [...before, ...rest]
    assert.deepStrictEqual(events.map(({ id }) => Number(id.split("-")[1])), events.map((_, i) => i + 1))
    assert.strictEqual(textOf(events), `Let me look.\n\n${words.join("")}`)
    const doneEvent = events.filter(({ event }) => event === "done")
    assert.deepStrictEqual(doneEvent.map(({ data }) => [data["outcome"], data["credits_used"]]), [["finished", 20]])
    assert.lengthOf(events.filter(({ event }) => event === "tool"), 1)
    // The process that finishes the answer also stores the suggested questions.
    assert.deepInclude(events.at(-1), { event: "suggest", data: { questions: ["And then?"] } })
    const resumedStream = yield* sendToAgent(second, key, `resume/${conversation}`)
    assert.deepStrictEqual(yield* Effect.promise(() => resumedStream.json()), { running: false })

    const requests = () => fake.log().filter(({ body }) => Array.isArray(body?.["tools"])).length
    assert.strictEqual(requests(), 3)
    if (strike === "SIGSTOP") {
      yield* Effect.sleep(Math.max(0, 20_000 - (performance.now() - killedAt)))
      const storedRows = yield* allOf(database, account)
      first.signal("SIGCONT")
      // The wait is longer than the period of all periodic work, so a write would have occurred by now.
      yield* Effect.sleep(8_000)
      assert.deepStrictEqual(yield* allOf(database, account), storedRows)
      assert.strictEqual(requests(), 3)
      assert.isEmpty(fake.log().filter(({ closedAt }) => closedAt === null))
      yield* pollUntil("readiness", sendRequest(first, "GET", "/readyz"), ({ status }) => status === 200)
    }
    const next = strike === "SIGSTOP" ? first : second
    const nextAnswer = yield* sendRequest(next, "POST", "/v1/agent/messages", {
      key,
      body: { message: "go on", conversation_id: conversation }
    })
    assert.deepStrictEqual([nextAnswer.body.answer, nextAnswer.body.outcome], ["All is said.", "finished"])
  })

describe("An answer whose server", () => {
  const strikes = [
    { strike: "SIGKILL", description: "is killed" },
    { strike: "SIGTERM", description: "is stopped" },
    { strike: "SIGSTOP", description: "is frozen for 20 s" }
  ] as const
  for (const { strike, description } of strikes) {
    it.live(
      `${description} is taken over within 10 s, and no part is lost or repeated`,
      () =>
        Effect.gen(function*() {
          const database = yield* migratedPostgres
          yield* testTakeover(strike, { database, strike, environment: database.environment })
        }),
      90_000
    )

    it.live(
      `${description} is taken over within 10 s behind PgBouncer in transaction mode`,
      () =>
        Effect.gen(function*() {
          const database = yield* migratedPostgres
          const direct = database.environment["DATABASE_URL"]!
          const url = yield* startPgBouncer(direct, "transaction")
          const environment = { ...database.environment, DATABASE_URL: url, DATABASE_DIRECT_URL: direct }
          yield* testTakeover(`${strike} behind PgBouncer`, { database, strike, environment })
        }),
      { timeout: 90_000, ...needsPgBouncer }
    )
  }
})
