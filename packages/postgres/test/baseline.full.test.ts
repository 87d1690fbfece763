import { PgClient } from "@effect/sql-pg"
import { assert, layer as withLayer } from "@effect/vitest"
import { isMigrated, layerMigrations, layerPostgres, migrate } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { describeSchema } from "./support/catalogue.ts"
import { type Client, makeFreshDatabase, makeFreshPglite } from "./support/databases.ts"
import { runMigrationsBefore } from "./support/migrateBefore.ts"

/**
 * The SHA-256 of the file `packages/postgres/test/support/schema0018.txt` in commit 88811baf, which describes the
 * schema after migration 0018.
 */
const schema0018 = "a99a305d625820de07f9fbd1d5914c563c4e90a21e1bef98954e580a134cac94"

const run = (text: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<{ readonly name: string }>(text).unprepared)

const empty = Effect.andThen(run("drop schema public cascade"), run("create schema public"))

const readMigrations = Effect.map(
  run("select migration_id || '_' || name as name from tapeline_migrations order by migration_id"),
  (rows) => rows.map(({ name }) => name)
)

/** Records migrations 1 to `latest` as separate migrations, as earlier versions did. */
const recordSeparately = (latest: number) =>
  Effect.andThen(
    run("delete from tapeline_migrations"),
    run(`insert into tapeline_migrations (migration_id, name) select n, 'step' from generate_series(1, ${latest}) n`)
  )

const steps = (latest: number) => Array.from({ length: latest }, (_, i) => `${i + 1}_step`)

const baseline = (name: string, client: Layer.Layer<Client>) =>
  withLayer(client, { excludeTestServices: true, timeout: 60_000 })(`the baseline migration on ${name}`, (it) => {
    it.effect("creates the schema and the rows of migrations 0001 to 0018", () =>
      Effect.gen(function*() {
        yield* empty
        yield* runMigrationsBefore("0019")
        const schema = (yield* describeSchema).join("\n")
        assert.strictEqual(createHash("sha256").update(schema).digest("hex"), schema0018, schema)
      }))

    it.effect("is skipped on a database at 0018, and later migrations run", () =>
      Effect.gen(function*() {
        yield* empty
        yield* migrate
        const current = yield* describeSchema
        yield* empty
        yield* runMigrationsBefore("0019")
        yield* recordSeparately(18)
        assert.isFalse(yield* isMigrated)
        yield* migrate
        assert.isTrue(yield* isMigrated)
        assert.deepStrictEqual((yield* readMigrations).slice(0, 19), [...steps(18), "19_conversation_scopes"])
        assert.deepStrictEqual(yield* describeSchema, current)
      }))

    it.effect("is skipped on a database at 0019", () =>
      Effect.gen(function*() {
        yield* empty
        yield* runMigrationsBefore("0020")
        const before = yield* describeSchema
        yield* recordSeparately(19)
        yield* runMigrationsBefore("0020")
        assert.deepStrictEqual(yield* readMigrations, steps(19))
        assert.deepStrictEqual(yield* describeSchema, before)
      }))

    for (const latest of [1, 17]) {
      it.effect(`rejects a database at ${latest} with the commit that upgrades it, and changes nothing`, () =>
        Effect.gen(function*() {
          yield* empty
          yield* runMigrationsBefore("0001")
          yield* recordSeparately(latest)
          const error = yield* Effect.flip(Layer.build(layerMigrations))
          assert.include(
            error.message,
            `cannot be used: its schema is at migration ${latest}, and this version needs 18 or later; start Tapeline ` +
              "at commit db477b05 once on this database, and then start this version"
          )
          assert.deepStrictEqual(yield* readMigrations, steps(latest))
          assert.deepStrictEqual(yield* describeSchema, [])
        }))
    }
  })

baseline("PGlite", makeFreshPglite())
baseline(
  "PostgreSQL",
  Layer.unwrap(Effect.map(makeFreshDatabase, ({ url }) => layerPostgres({ url }))).pipe(Layer.orDie)
)
