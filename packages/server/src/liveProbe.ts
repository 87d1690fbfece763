#!/usr/bin/env node
// Requests data once from every source of the live market, with the settings of the environment: `npm run live:probe`.
import "./oldNode.ts"
import "./brokenOutput.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { probeSources } from "@tapeline/market-live"
import { Effect, Layer } from "effect"
import { coinsOf } from "./market/coinsOf.ts"
import { layerSocketConnections } from "./market/layerLive.ts"
import { tellProbed } from "./market/tellProbed.ts"
import { layerProxies } from "./proxy/layerProxies.ts"
import { readSettings } from "./settings.ts"

const program = Effect.gen(function*() {
  const { live, outgoingProxies } = yield* readSettings({ ...process.env, TAPELINE_MARKET: "live" })
  const settings = live ?? { unused: [] }
  const probed = probeSources(coinsOf(settings)).pipe(
    Effect.provide(Layer.merge(layerProxies(outgoingProxies), layerSocketConnections(outgoingProxies)))
  )
  const { lines, sound } = tellProbed(yield* probed)
  yield* Effect.callback<never>(() => {
    for (const one of settings.unused) process.stderr.write(`${one}\n`)
    // Without an explicit exit, pending lookups of host names would keep the process running.
    process.stdout.write(`${lines.join("\n")}\n`, () => process.exit(sound ? 0 : 1))
  })
})

NodeRuntime.runMain(
  Effect.catchTag(program, "InvalidSettings", (error) =>
    Effect.sync(() => {
      process.stderr.write(`${error.message}\n`)
      process.exitCode = 1
    }))
)
