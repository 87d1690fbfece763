import { PgClient } from "@effect/sql-pg"
import { assert, layer as withLayer } from "@effect/vitest"
import { layerPostgres, migrate } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { makeFreshDatabase } from "./support/databases.ts"
import { runMigrationsBefore } from "./support/migrateBefore.ts"

const called = (...names: ReadonlyArray<string>) =>
  JSON.stringify({ content: "\u0000", tools: names.map((name) => ({ name, ok: true })) })
const rejected = (...names: ReadonlyArray<string>) => called(...names).replaceAll(`"ok":true`, `"ok":false`)
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
  "a report": { messages: [["task", called()], ["task", called()]], scopes: ["read:personal"] },
  "a task's conversation": { messages: [["user", text]], scopes: ["read:personal"] }
} as const

const postgres = Layer.unwrap(Effect.map(makeFreshDatabase, ({ url }) => layerPostgres({ url }))).pipe(Layer.orDie)

withLayer(postgres, { excludeTestServices: true, timeout: 120_000 })("scopes of older conversations", (it) => {
  it.effect("are derived from the tools that their answers called", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* runMigrationsBefore("0019")
      for (const [i, { messages }] of Object.values(conversations).entries()) {
        yield* sql.unsafe(
          `insert into conversations (account, id, title, mode, lang, created_at, updated_at, messages)
          values (1, ${i}, '"t"', 'analyst', 'en', 0, 0, 1)`
        )
        for (const [index, [role, body]] of messages.entries()) {
          yield* sql.unsafe(
            `insert into messages (account, conversation, id, role, created_at, body, suggestions)
            values (1, ${i}, ${10 * i + index}, '${role}', 0, $1, '[]')`,
            [body]
          )
        }
      }
      yield* sql.unsafe(
        `insert into tasks (account, id, kind, status, version, runs, conversation, key, created_at, updated_at, said)
        values (1, 1, 'watch', 'active', 1, 0, 5, 0, 0, 0, '{}')`
      )
      yield* migrate
      const rows = yield* sql.unsafe<{ readonly scopes: ReadonlyArray<string> }>(
        "select scopes from conversations order by id"
      )
      assert.deepStrictEqual(
        rows.map(({ scopes }) => scopes),
        Object.values(conversations).map(({ scopes }) => [...scopes])
      )
    }))

  it.effect("are added when a process of the previous version stores a message", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const end = (id: number, role: string, body: string) =>
        sql.unsafe(
          `with c as (update conversations set messages = messages + 1 where account = 1 and id = 0)
          insert into messages (account, conversation, id, role, created_at, body, suggestions)
          values (1, 0, ${id}, '${role}', 0, $1, '[]')`,
          [body]
        )
      const scopes = Effect.map(
        sql.unsafe<{ readonly scopes: ReadonlyArray<string>; readonly messages: number }>(
          "select scopes, messages from conversations where id = 0"
        ),
        ([row]) => [...row!.scopes, row!.messages]
      )
      yield* end(1_000, "assistant", called("get_price"))
      assert.deepStrictEqual(yield* scopes, [2])
      yield* end(999, "assistant", rejected("get_positions", "close_position"))
      yield* end(998, "user", JSON.stringify({ content: called("get_positions"), tools: [] }))
      assert.deepStrictEqual(yield* scopes, [4])
      yield* end(1_001, "assistant", called("close_position"))
      yield* end(1_002, "assistant", called("close_position", "get_tasks"))
      yield* end(1_003, "task", called())
      assert.deepStrictEqual(yield* scopes, ["write:personal", "read:personal", 7])
    }))
})
