import { assert, describe, it } from "@effect/vitest"
import { latestMigration } from "@tapeline/postgres"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCommand } from "./support/cli.ts"
import { emptyPostgres, makePglite } from "./support/testDatabases.ts"

describe("tapeline migrate", () => {
  it.live("prints with --check what it would do to a new PostgreSQL database, and does it without", () =>
    Effect.gen(function*() {
      const { environment, sql } = yield* emptyPostgres
      const run = runCommand(environment)
      const checked = yield* run("migrate", "--check")
      assert.deepInclude(checked, { code: 0, stderr: "" })
      assert.include(checked.stdout, `current_migration: none, a new database\ntarget_migration: ${latestMigration}\n`)
      assert.match(checked.stdout, /^0018_baseline +creates the schema +- +- +0$/m)
      const again = yield* run("migrate", "--check", "--json")
      assert.deepInclude(JSON.parse(again.stdout), { current_migration: null, processes: 0, versions: [] })

      const migrated = yield* run("migrate")
      assert.deepInclude(migrated, { code: 0, stderr: "" })
      assert.include(migrated.stdout, `current_migration: ${latestMigration}\n`)
      assert.include(migrated.stdout, "pending_migrations: 0\n")

      yield* sql((sql) => sql`insert into tapeline_migrations (migration_id, name) values (9999, 'later')`)
      const newer = yield* run("migrate", "--check")
      assert.strictEqual(newer.code, 1)
      assert.include(newer.stderr, "A newer version has upgraded the database: its schema is at migration 9999")
    }))

  it.live("checks an embedded database, and creates none", () =>
    Effect.gen(function*() {
      const { environment } = yield* makePglite()
      const { code, stdout } = yield* runCommand(environment)("migrate", "--check")
      assert.strictEqual(code, 0)
      assert.include(stdout, `current_migration: ${latestMigration}\n`)
      const folder = join(tmpdir(), `tapeline-none-${crypto.randomUUID()}`)
      const missing = yield* runCommand({ TAPELINE_DATA_DIR: folder })("migrate", "--check")
      assert.strictEqual(missing.code, 1)
      assert.include(missing.stderr, `There is no database in ${folder}`)
      assert.isFalse(existsSync(folder))
    }))

  it.live("names the setting and the reason if the database cannot be used", () =>
    Effect.gen(function*() {
      const refused = yield* runCommand({ DATABASE_URL: "postgres://tapeline@127.0.0.1:1/tapeline" })(
        "migrate",
        "--check"
      )
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /^DATABASE_URL: PostgreSQL cannot be used: the connection was refused;/)
      const invalid = yield* runCommand({ DATABASE_URL: "mysql://x" })("migrate", "--check")
      assert.strictEqual(invalid.code, 1)
      assert.include(invalid.stderr, "The configuration is invalid:")
    }))
})
