import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { isMigrated, layerMigrations, layerPglite } from "@tapeline/postgres"
import { skipUnless } from "@tapeline/testing/programs"
import { Effect, Layer } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findTemplateFolder, finishTemplate, startFromTemplate } from "../src/template.ts"
import { makeFreshPglite, readPgliteDump } from "./support/databases.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-template-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const emptyIn = (dir: string, name: string): string => {
  mkdirSync(join(dir, name), { mode: 0o700 })
  return join(dir, name)
}

const small = (dir: string): string => {
  const template = emptyIn(dir, "template")
  mkdirSync(join(template, "base", "empty"), { recursive: true })
  writeFileSync(join(template, "base", "1"), "one")
  writeFileSync(join(template, "PG_VERSION"), "18")
  finishTemplate(template)
  return template
}

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

/** The id of another user than the user of the tests: `nobody` on most systems. */
const another = 65_534

describe("A template", () => {
  it.live("gives a data folder the complete migrated schema, with access only for its owner", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      // The installed template, or a new template if none is installed.
      const templateFolder = findTemplateFolder()
      const ownFolder = join(dir, "own")
      const template = templateFolder !== undefined && existsSync(templateFolder) ? templateFolder : ownFolder
      if (template === ownFolder) {
        yield* Effect.scoped(Layer.build(layerPglite({ dataDir: ownFolder, load: readPgliteDump() })))
        finishTemplate(ownFolder)
      }
      const dataDir = emptyIn(dir, "db")
      // Simulates what remains of a process that was killed while it copied the template.
      writeFileSync(join(emptyIn(dir, "db.draft"), "PG_VERSION"), "half")
      assert.isTrue(startFromTemplate(dataDir, template))
      assert.isFalse(existsSync(`${dataDir}.draft`))
      assert.strictEqual(statSync(dataDir).mode & 0o777, 0o700)
      assert.sameMembers([...readdirSync(dataDir), "template.json"], readdirSync(template))
      const migratedSchema = yield* Effect.gen(function*() {
        assert.isTrue(yield* isMigrated)
        return yield* schema
      }).pipe(Effect.provide(layerMigrations.pipe(Layer.provideMerge(layerPglite({ dataDir })))))
      assert.isAbove(migratedSchema.length, 50)
      assert.deepStrictEqual(migratedSchema, yield* Effect.provide(schema, makeFreshPglite()))
    }))

  it.live("leaves a folder unchanged if it is not empty, or if there is no template", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const dataDir = emptyIn(dir, "db")
      assert.isFalse(startFromTemplate(dataDir, join(dir, "none")))
      writeFileSync(join(dataDir, "kept"), "")
      assert.isFalse(startFromTemplate(dataDir, emptyIn(dir, "template")))
      assert.deepStrictEqual(readdirSync(dataDir), ["kept"])
    }))

  it.live("gives a complete, writable copy if it is read-only and has lost its empty folders", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const [template, dataDir] = [small(dir), emptyIn(dir, "db")]
      rmdirSync(join(template, "base", "empty"))
      chmodSync(join(template, "base", "1"), 0o444)
      chmodSync(join(template, "base"), 0o555)
      assert.isTrue(startFromTemplate(dataDir, template))
      assert.deepStrictEqual(readdirSync(dataDir, { recursive: true, encoding: "utf8" }).toSorted(), [
        "PG_VERSION",
        "base",
        join("base", "1"),
        join("base", "empty")
      ])
      assert.strictEqual(readFileSync(join(dataDir, "base", "1"), "utf8"), "one")
      const modes = ["base", "base/1"].map((path) => (statSync(join(dataDir, path)).mode & 0o777).toString(8))
      assert.deepStrictEqual(modes, ["700", "600"])
      chmodSync(join(template, "base"), 0o755)
    }))

  it.live("leaves the folder empty if a file of the template is missing or truncated", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const [template, dataDir] = [small(dir), emptyIn(dir, "db")]
      truncateSync(join(template, "base", "1"), 2)
      assert.isFalse(startFromTemplate(dataDir, template))
      rmSync(join(template, "base", "1"))
      assert.isFalse(startFromTemplate(dataDir, template))
      rmSync(join(template, "template.json"))
      assert.isFalse(startFromTemplate(dataDir, template))
      assert.deepStrictEqual([readdirSync(dataDir), existsSync(`${dataDir}.draft`)], [[], false])
    }))

  it.live(
    "can be used by another user, and is ignored by a user who may not read it",
    () =>
      Effect.gen(function*() {
        const dir = yield* folder
        chmodSync(dir, 0o755)
        const [template, above] = [small(dir), emptyIn(dir, "another")]
        chownSync(above, another, another)
        const begin = (name: string): string =>
          execFileSync(process.execPath, [
            "--input-type=module",
            "--eval",
            `import { startFromTemplate } from ${JSON.stringify(new URL("../src/template.ts", import.meta.url).href)}
          import { mkdirSync } from "node:fs"
          mkdirSync(process.argv[1])
          console.log(startFromTemplate(process.argv[1], process.argv[2]))`,
            join(above, name),
            template
          ], { uid: another, gid: another, cwd: above, encoding: "utf8" }).trim()
        assert.strictEqual(begin("db"), "true")
        // Other users cannot read the template.
        chmodSync(template, 0o700)
        assert.strictEqual(begin("other"), "false")
        assert.deepStrictEqual(readdirSync(join(above, "other")), [])
      }),
    skipUnless(
      "root, and a repository that other users may read",
      process.getuid?.() === 0 &&
        spawnSync(process.execPath, ["--version"], { uid: another, gid: another, cwd: "/" }).status === 0
    )
  )
})
