import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect, Layer } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { layerEvaluationEngine, layerFixedClock } from "./engine.ts"
import { renderTranscripts, replaceTranscripts } from "./transcripts.ts"

const page = new URL("../../../docs/offline-analyst.md", import.meta.url)

const transcripts = await Effect.runPromise(
  renderTranscripts.pipe(
    Effect.provide(layerEvaluationEngine.pipe(Layer.provide(OfflineAnalyst), Layer.provideMerge(layerFixedClock)))
  )
)
writeFileSync(page, replaceTranscripts(readFileSync(page, "utf8"), transcripts))
