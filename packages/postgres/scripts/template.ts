// Makes the template with which embedded databases begin: an empty one whose schema is up to date. Runs at the
// installation, and may run at any time; without it the first start makes the same, in some seconds.
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
