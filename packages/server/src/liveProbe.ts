#!/usr/bin/env node
// Requests data once from every source of the live market, with the settings of the environment: `npm run live:probe`.
import "./nodeVersionCheck.ts"
import "./ignoreOutputErrors.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { probeSources } from "@tapeline/market-live"
import { Effect, Layer } from "effect"
import { layerSocketConnections } from "./market/layerLive.ts"
import { formatProbeReport } from "./market/probeReport.ts"
import { toLiveSettings } from "./market/toLiveSettings.ts"
import { layerProxies } from "./proxy/layerProxies.ts"
import { readSettings } from "./settings.ts"

const program = Effect.gen(function*() {
  const { live, outgoingProxies } = yield* readSettings({ ...process.env, TAPELINE_MARKET: "live" })
  const settings = live ?? { warnings: [] }
  const results = probeSources(toLiveSettings(settings)).pipe(
    Effect.provide(Layer.merge(layerProxies(outgoingProxies), layerSocketConnections(outgoingProxies)))
  )
  const { lines, isSound } = formatProbeReport(yield* results)
  yield* Effect.callback<never>(() => {
    for (const warning of settings.warnings) process.stderr.write(`${warning}\n`)
    // The process exits explicitly, because pending lookups of host names would keep it running.
    process.stdout.write(`${lines.join("\n")}\n`, () => process.exit(isSound ? 0 : 1))
  })
})

NodeRuntime.runMain(
  Effect.catchTag(program, "InvalidSettings", (error) =>
    Effect.sync(() => {
      process.stderr.write(`${error.message}\n`)
      process.exitCode = 1
    }))
)
