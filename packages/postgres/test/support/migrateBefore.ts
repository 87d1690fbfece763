import { runMigrations } from "@tapeline/postgres"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { statements } from "../../src/migrations/statements.ts"

const folder = join(import.meta.dirname, "../../src/migrations")

/** Runs the migrations before a number, for example `0019`. */
export const runMigrationsBefore = Effect.fnUntraced(function*(number: string) {
  const files = readdirSync(folder).filter((file) => /^\d/.test(file) && file < number).sort()
  const modules = yield* Effect.forEach(files, (file) =>
    Effect.promise(async () => {
      // Every migration's only export is an effect that `statements` creates.
      const module = await import(join(folder, file)) as { readonly default: ReturnType<typeof statements> }
      return [file.replace(".ts", ""), module.default] as const
    }))
  yield* runMigrations(Object.fromEntries(modules))
})
