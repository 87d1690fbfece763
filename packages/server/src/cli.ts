#!/usr/bin/env node
import "./nodeVersionCheck.ts"
import "./ignoreOutputErrors.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "./adminClient.ts"
import { accounts } from "./adminCommands/accounts.ts"
import { answers, tasks } from "./adminCommands/answers.ts"
import { json } from "./adminCommands/common.ts"
import { calls, credits } from "./adminCommands/credits.ts"
import { events } from "./adminCommands/events.ts"
import { keys } from "./adminCommands/keys.ts"
import { tokens } from "./adminCommands/tokens.ts"
import { usage } from "./adminCommands/usage.ts"
import { webhooks } from "./adminCommands/webhooks.ts"
import { version } from "./version.ts"

const fromFlag = Flag.String("from").pipe(Flag.withDescription("The first day, UTC, such as 2026-01-31"))

/** Returns 00:00 UTC of a day, in epoch ms, or fails unless the day exists and has begun. */
const parseStartDay = (day: string): Effect.Effect<number, CommandFailed> => {
  const time = /^\d{4}-\d{2}-\d{2}$/u.test(day) ? Date.parse(day) : NaN
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day || time > Date.now()
    ? Effect.fail(new CommandFailed({ reason: "--from must be a day that has begun, such as 2026-01-31" }))
    : Effect.succeed(time)
}

const recompute = Command.make(
  "recompute",
  { from: fromFlag },
  Effect.fnUntraced(function*({ from }) {
    const time = yield* parseStartDay(from)
    // Only the command `recompute` imports the modules of the server, because loading them takes long.
    const { runRecompute } = yield* Effect.promise(() => import("./recompute/run.ts"))
    yield* runRecompute(process.env, time)
  })
).pipe(
  Command.withDescription(
    "Recompute all derived data from a day on, from the stored series, with the settings of the server (it may run)"
  )
)

Command.make("tapeline").pipe(
  Command.withDescription("Manages a Tapeline server (TAPELINE_URL, TAPELINE_ADMIN_TOKEN)"),
  Command.withSubcommands([accounts, keys, tokens, answers, tasks, credits, calls, usage, events, webhooks, recompute]),
  Command.withGlobalFlags([json]),
  Command.run({ version }),
  Effect.catchTag(
    ["CommandFailed", "RecomputeFailed"],
    (error) =>
      Effect.flatMap(Console.error(error.message), () =>
        Effect.sync(() => {
          process.exitCode = 1
        }))
  ),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
