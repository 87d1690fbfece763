import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect, Layer } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { layerEngineOfQuestions, layerStill } from "./market.ts"
import { transcripts, withTranscripts } from "./transcripts.ts"

const page = new URL("../../../docs/offline-analyst.md", import.meta.url)

const written = await Effect.runPromise(
  transcripts.pipe(
    Effect.provide(layerEngineOfQuestions.pipe(Layer.provide(OfflineAnalyst), Layer.provideMerge(layerStill)))
  )
)
writeFileSync(page, withTranscripts(readFileSync(page, "utf8"), written))
