import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../adminClient.ts"
import { version } from "../version.ts"
import { accounts } from "./accounts.ts"
import { answers, tasks } from "./answers.ts"
import { backup, restore } from "./backups.ts"
import { json } from "./common.ts"
import { calls, credits } from "./credits.ts"
import { events } from "./events.ts"
import { keys } from "./keys.ts"
import { migrate } from "./migrate.ts"
import { tokens } from "./tokens.ts"
import { usage } from "./usage.ts"
import { webhooks } from "./webhooks.ts"

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
    const { runRecompute } = yield* Effect.promise(() => import("../recompute/run.ts"))
    yield* runRecompute(process.env, time)
  })
).pipe(
  Command.withDescription(
    "Recompute all derived data from a day on, from the stored series, with the server's settings, also while it runs"
  )
)

const tapeline = Command.make("tapeline").pipe(
  Command.withDescription("Manages a Tapeline server (TAPELINE_URL, TAPELINE_ADMIN_TOKEN)"),
  Command.withSubcommands([
    accounts,
    keys,
    tokens,
    answers,
    tasks,
    credits,
    calls,
    usage,
    events,
    webhooks,
    backup,
    restore,
    migrate,
    recompute
  ]),
  Command.withGlobalFlags([json])
)

/** Runs the command line `tapeline` with arguments. Prints a failure of the command, and returns the exit code. */
export const runTapeline = (args: ReadonlyArray<string>) =>
  Command.runWith(tapeline, { version })(args).pipe(
    Effect.as(0),
    Effect.catchTag(
      ["CommandFailed", "MigrateFailed", "RecomputeFailed"],
      (error) => Effect.as(Console.error(error.message), 1)
    )
  )
