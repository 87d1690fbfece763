import { assert, describe, it } from "@effect/vitest"
import { layerPglite } from "@tapeline/postgres"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { join } from "node:path"
import { createChatKey, readEvents, sendToAgent, startStallingModel, textOf, words } from "./support/answerStreams.ts"
import { runCli } from "./support/cli.ts"
import { startServer, temporaryFolder } from "./support/process.ts"
import { getUsage, pollUntil, testSettings } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"

/** Changes a restored database as if more than five minutes had passed since the moment of the backup. */
const expireReservations = (dataDir: string) =>
  Effect.flatMap(SqlClient, (sql) => sql`update credit_reservations set expires_at = 1 where state = 'reserved'`).pipe(
    Effect.provide(layerPglite({ dataDir: join(dataDir, "db") })),
    Effect.orDie
  )

const question = JSON.stringify({ message: "BTC?" })

describe("An answer that runs at the moment of a backup", () => {
  it.live(
    "continues after the restore, and is charged unless its reservation has expired",
    () =>
      Effect.gen(function*() {
        const fake = yield* startStallingModel
        const { environment } = yield* makePglite()
        const settings = { ...testSettings, OPENAI_BASE_URL: fake.baseUrl, OPENAI_MODEL: "fake" }
        const dir = yield* temporaryFolder
        const file = join(dir, "backup")
        const server = yield* startServer({ ...settings, ...environment })
        const { key } = yield* createChatKey(server)
        const headers = { "idempotency-key": "asked-once" }
        const stream = yield* sendToAgent(server, key, "stream", { method: "POST", body: question, headers })
        const before = yield* Effect.promise(() => readEvents(stream, (events) => textOf(events).includes(words[4]!)))
        const written = yield* runCli(server)("backup", "--output", file)
        assert.strictEqual(written.code, 0, written.stderr)
        yield* server.kill
        const conversation = Number(before[0]!.data["conversation_id"])

        const continueAfterRestore = Effect.fnUntraced(function*(name: string, isExpired: boolean) {
          const dataDir = join(dir, name)
          const output = yield* runCli(server)("restore", file, "--data-dir", dataDir)
          assert.strictEqual(output.code, 0, output.stderr)
          if (isExpired) yield* expireReservations(dataDir)
          const restored = yield* startServer({ ...settings, TAPELINE_DATA_DIR: dataDir })
          const resumed = yield* sendToAgent(restored, key, `resume/${conversation}`, {
            headers: { "last-event-id": before.at(-1)!.id }
          })
          const events = [...before, ...yield* Effect.promise(() => readEvents(resumed, () => false))]
          assert.strictEqual(textOf(events), `Let me look.\n\n${words.join("")}`)
          assert.deepStrictEqual(events.map(({ id }) => Number(id.split("-")[1])), events.map((_, i) => i + 1))
          const done = events.filter(({ event }) => event === "done").map(({ data }) => data)
          const charged = isExpired ? 0 : 20
          assert.deepStrictEqual(done.map((data) => [data["outcome"], data["credits_used"]]), [["finished", charged]])
          const { credits } = yield* pollUntil(
            "the end of the reservation",
            getUsage(restored, key),
            ({ credits }) => credits.reserved === 0
          )
          assert.strictEqual(credits.used, charged)
          if (!isExpired) {
            const repeated = yield* sendToAgent(restored, key, "messages", { method: "POST", body: question, headers })
            assert.deepStrictEqual([repeated.status, repeated.headers.get("idempotent-replayed")], [200, "true"])
            assert.strictEqual((yield* getUsage(restored, key)).credits.used, charged)
          }
          yield* restored.kill
        })
        yield* continueAfterRestore("soon", false)
        yield* continueAfterRestore("late", true)
      }).pipe(Effect.scoped),
    120_000
  )
})
