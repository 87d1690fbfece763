import { runMigrations } from "@tapeline/postgres"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { statements } from "../../src/migrations/statements.ts"

const folder = join(import.meta.dirname, "../../src/migrations")

/** Runs the migrations whose numbers are below a number, for example below `0019`. */
export const runMigrationsBefore = Effect.fnUntraced(function*(number: string) {
  const files = readdirSync(folder).filter((file) => /^\d/.test(file) && file < number).sort()
  const modules = yield* Effect.forEach(files, (file) =>
    Effect.promise(async () => {
      // The cast is safe, because the only export of each migration is an effect of `statements`.
      const module = await import(join(folder, file)) as { readonly default: ReturnType<typeof statements> }
      return [file.replace(".ts", ""), module.default] as const
    }))
  yield* runMigrations(Object.fromEntries(modules))
})
