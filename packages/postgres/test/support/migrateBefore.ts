import { runMigrations } from "@tapeline/postgres"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { statements } from "../../src/migrations/statements.ts"

const folder = join(import.meta.dirname, "../../src/migrations")

/** The migrations by their names, such as `0018_baseline`, in their order. */
export const loadMigrations = Effect.promise(() =>
  Promise.all(
    readdirSync(folder).filter((file) => /^\d/.test(file)).sort().map(async (file) => {
      // The cast is safe, because the only export of each migration is an effect of `statements`.
      const module = await import(join(folder, file)) as { readonly default: ReturnType<typeof statements> }
      return [file.replace(".ts", ""), module.default] as const
    })
  )
)

/** Runs the migrations whose numbers are below a number, for example below `0019`. */
export const runMigrationsBefore = Effect.fnUntraced(function*(number: string) {
  const migrations = yield* loadMigrations
  yield* runMigrations(Object.fromEntries(migrations.filter(([name]) => name < number)))
})
