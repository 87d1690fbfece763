import type { UpgradePlan } from "@tapeline/postgres"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../adminClient.ts"
import { CommandEnvironment, json } from "./common.ts"
import { formatResponse } from "./formatResponse.ts"

const sum = (values: ReadonlyArray<{ readonly estimated_seconds: number }>): number =>
  values.reduce((total, { estimated_seconds }) => total + estimated_seconds, 0)

const joinOr = (texts: ReadonlyArray<string>, otherwise: string) => texts.length === 0 ? otherwise : texts.join(",")

/** Returns a plan as lines for people. `formatResponse` escapes characters that could control the terminal. */
const formatPlan = ({ backfills, migrations, versions, ...plan }: UpgradePlan): string =>
  [
    {
      current_migration: plan.current_migration ?? "none, a new database",
      target_migration: plan.target_migration,
      processes: plan.processes,
      versions: joinOr(versions.map(({ sessions, version }) => `${version ?? "unknown"} (${sessions} sessions)`), "-"),
      pending_migrations: migrations.length,
      migration_seconds: sum(migrations),
      pending_backfills: backfills.length,
      backfill_seconds: sum(backfills)
    },
    ...migrations.length === 0 ? [] : [{ migrations }],
    ...backfills.length === 0 ? [] : [{ backfills }]
  ].map((part) => formatResponse(part)).join("\n\n")

export const migrate = Command.make(
  "migrate",
  {
    check: Flag.Boolean("check").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Change nothing. Print what an upgrade to this version does, and how long it may take")
    )
  },
  Effect.fnUntraced(function*({ check }) {
    const environment = yield* CommandEnvironment
    // Only this command imports the modules of the server, because loading them takes long.
    const { runMigrate } = yield* Effect.promise(() => import("../migrate/run.ts"))
    const plan = yield* runMigrate(environment, check)
    yield* Console.log((yield* json) ? JSON.stringify(plan, null, 2) : formatPlan(plan))
    if (plan.problems.length > 0) return yield* new CommandFailed({ reason: plan.problems.join("\n") })
  })
).pipe(
  Command.withDescription(
    "Run the migrations of this version, which the start of a server does too. Uses the settings of the server"
  )
)
