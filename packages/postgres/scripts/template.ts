// Creates the template of embedded databases: an empty database with the current schema. The script runs at the
// installation, and may run at any time. Without the template, the first start applies the migrations in some seconds.
import { layerMigrations, layerPglite } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { findTemplateFolder, finishTemplate, removeOldTemplates } from "../src/template.ts"

const folder = findTemplateFolder()
if (folder !== undefined && !existsSync(folder)) {
  const draft = `${folder}.${process.pid}`
  mkdirSync(dirname(folder), { recursive: true })
  try {
    await Effect.runPromise(
      Effect.scoped(Layer.build(layerMigrations.pipe(Layer.provide(layerPglite({ dataDir: draft })))))
    )
    finishTemplate(draft)
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  removeOldTemplates()
}
