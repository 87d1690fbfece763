import { PgClient } from "@effect/sql-pg"
import { assert, layer as withLayer } from "@effect/vitest"
import { layerPostgres, migrate } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { freshDatabase } from "./support/databases.ts"
import { migrateBefore } from "./support/migrateBefore.ts"

/** Bodies of messages: what an answer called, or a text. */
const called = (...names: ReadonlyArray<string>) =>
  JSON.stringify({ content: "\u0000", tools: names.map((name) => ({ name, ok: true })) })
const text = JSON.stringify({ content: "what does {\"name\":\"get_positions\"} do?", tools: [] })

const conversations = {
  "only market data": {
    messages: [["user", text], ["assistant", called("get_price", "get_positions_map")]],
    scopes: []
  },
  "records": { messages: [["assistant", called("get_price", "get_positions")]], scopes: ["read:personal"] },
  "a change": { messages: [["assistant", called("close_position")]], scopes: ["write:personal"] },
  "both": {
    messages: [["assistant", called("get_watchlist")], ["assistant", called("create_task")]],
    scopes: ["read:personal", "write:personal"]
  },
  "a report": { messages: [["task", called()], ["task", called()]], scopes: ["read:personal"] }
} as const

const postgres = Layer.unwrap(Effect.map(freshDatabase, ({ url }) => layerPostgres({ url }))).pipe(Layer.orDie)

withLayer(postgres, { excludeTestServices: true, timeout: 120_000 })("scopes of older conversations", (it) => {
  it.effect("are derived from the tools that their answers called", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* migrateBefore("0019")
      for (const [i, { messages }] of Object.values(conversations).entries()) {
        yield* sql.unsafe(
          `insert into conversations (account, id, title, mode, lang, created_at, updated_at, messages)
          values (1, ${i}, '"t"', 'analyst', 'en', 0, 0, 1)`
        )
        for (const [place, [role, body]] of messages.entries()) {
          yield* sql.unsafe(
            `insert into messages (account, conversation, id, role, created_at, body, suggestions)
            values (1, ${i}, ${10 * i + place}, '${role}', 0, $1, '[]')`,
            [body]
          )
        }
      }
      yield* migrate
      const rows = yield* sql.unsafe<{ readonly scopes: ReadonlyArray<string> }>(
        "select scopes from conversations order by id"
      )
      assert.deepStrictEqual(
        rows.map(({ scopes }) => scopes),
        Object.values(conversations).map(({ scopes }) => [...scopes])
      )
    }))
})
