import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { isMigrated, layerMigrations, layerPglite } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beginWithTemplate, templateFolder } from "../src/template.ts"
import { freshPglite, pgliteDump } from "./support/databases.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-template-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const emptyIn = (dir: string, name: string): string => {
  mkdirSync(join(dir, name), { mode: 0o700 })
  return join(dir, name)
}

/** Everything that a schema consists of, in words. */
const schema = Effect.flatMap(PgClient.PgClient, (sql) =>
  sql.unsafe(`
    select 'column' as kind, table_name || '.' || column_name as name,
      concat_ws(' ', data_type, is_nullable, column_default, collation_name) as text
    from information_schema.columns where table_schema = 'public'
    union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
    union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select 'function', proname, pg_get_functiondef(oid) from pg_proc
      where pronamespace = 'public'::regnamespace
    union all select 'migration', migration_id::text, name from tapeline_migrations
    order by 1, 2, 3`).unprepared)

describe("A template", () => {
  it.live("gives a data folder the schema that migrations make, whole, and to its owner alone", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      // The one of the installation, or one like it.
      const made = templateFolder()
      const own = join(dir, "own")
      const template = made !== undefined && existsSync(made) ? made : own
      if (template === own) yield* Effect.scoped(Layer.build(layerPglite({ dataDir: own, load: pgliteDump() })))
      const dataDir = emptyIn(dir, "db")
      // A process that was killed as it copied has left this.
      writeFileSync(join(emptyIn(dir, "db.draft"), "PG_VERSION"), "half")
      assert.isTrue(beginWithTemplate(dataDir, template))
      assert.isFalse(existsSync(`${dataDir}.draft`))
      assert.strictEqual(statSync(dataDir).mode & 0o777, 0o700)
      assert.deepStrictEqual(readdirSync(dataDir), readdirSync(template))
      const found = yield* Effect.gen(function*() {
        assert.isTrue(yield* isMigrated)
        return yield* schema
      }).pipe(Effect.provide(layerMigrations.pipe(Layer.provideMerge(layerPglite({ dataDir })))))
      assert.isAbove(found.length, 50)
      assert.deepStrictEqual(found, yield* Effect.provide(schema, freshPglite()))
    }))

  it.live("leaves a folder as it is that holds something, or when there is none", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const dataDir = emptyIn(dir, "db")
      assert.isFalse(beginWithTemplate(dataDir, join(dir, "none")))
      writeFileSync(join(dataDir, "kept"), "")
      assert.isFalse(beginWithTemplate(dataDir, emptyIn(dir, "template")))
      assert.deepStrictEqual(readdirSync(dataDir), ["kept"])
    }))
})
