#!/usr/bin/env node
import "./nodeVersionCheck.ts"
import "./ignoreOutputErrors.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { runTapeline } from "./adminCommands/tapeline.ts"

runTapeline(process.argv.slice(2)).pipe(
  Effect.map((code) => {
    process.exitCode = code
  }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
