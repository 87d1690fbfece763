import { layerMigrations, readUpgradePlan, type UpgradePlan } from "@tapeline/postgres"
import { Effect, Layer, Schema } from "effect"
import { findMissingDatabase, layerDatabase } from "../database.ts"
import { explainError } from "../explainError.ts"
import { readSettings } from "../settings.ts"

/** A migration or its check failed. `reason` is a sentence that the terminal shows. */
export class MigrateFailed extends Schema.TaggedError<MigrateFailed>()("MigrateFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** Returns what an upgrade to this version does to the database, or runs its migrations first. */
export const runMigrate = (
  environment: Readonly<Record<string, string | undefined>>,
  isCheck: boolean
): Effect.Effect<UpgradePlan, MigrateFailed> =>
  Effect.gen(function*() {
    const settings = yield* readSettings(environment)
    const missing = findMissingDatabase(settings)
    if (missing !== undefined) return yield* new MigrateFailed({ reason: missing })
    const database = layerDatabase(settings, () => undefined, "tapeline-migrate")
    return yield* Effect.provide(readUpgradePlan(), isCheck ? database : Layer.provideMerge(layerMigrations, database))
  }).pipe(
    Effect.mapError((error) =>
      error._tag === "MigrateFailed" ? error : new MigrateFailed({ reason: explainError(error, environment) })
    )
  )
