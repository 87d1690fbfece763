#!/usr/bin/env node
import "./nodeVersionCheck.ts"
import "./ignoreOutputErrors.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { allScopes, Scope, scopeMeanings } from "@tapeline/core/engine"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type AdminClient, CommandFailed, withAdminClient } from "./adminClient.ts"
import { version } from "./version.ts"

const runAdminCommand = <A, E, R>(use: (client: AdminClient) => Effect.Effect<A, E, R>) =>
  withAdminClient(process.env, use).pipe(
    Effect.flatMap((answer) => Console.log(answer === undefined ? "done" : JSON.stringify(answer, null, 2)))
  )

const account = Argument.Int("account").pipe(Argument.withDescription("The account's id"))
const key = Argument.Int("key").pipe(Argument.withDescription("The key's id"))
const name = Flag.String("name").pipe(Flag.withDescription("A name that identifies it"))
const plan = Flag.String("plan").pipe(
  Flag.withDescription("free, lite, pro, premium, or a plan of the configuration")
)
const decodeScopes = Schema.decodeUnknownOption(Schema.Array(Scope))
const scopes = Flag.String("scopes").pipe(
  Flag.withDescription(
    `Separated by commas. ${allScopes.map((scope) => `${scope}: ${scopeMeanings[scope]}`).join("; ")}`
  ),
  Flag.filterMap(
    (text) => decodeScopes(text.split(",").map((part) => part.trim()).filter((part) => part !== "")),
    () => `expected scopes separated by commas: ${allScopes.join(", ")}`
  )
)
const expires = Flag.String("expires").pipe(
  Flag.withDescription("The time of expiry, such as 2027-01-31T00:00:00Z; `never` removes an expiry"),
  Flag.optional
)
const toExpiry = (flag: Option.Option<string>) =>
  Option.isNone(flag) ? {} : { expires_at: flag.value === "never" ? null : flag.value }

const pageFlags = {
  cursor: Flag.Int("cursor").pipe(
    Flag.withDescription("The `next_cursor` of the previous page; default: the first page"),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("The maximum number of items, up to 1000; default: 100"),
    Flag.optional
  )
}
const toPage = ({ cursor, limit }: { readonly [K in keyof typeof pageFlags]: Option.Option<number> }) => ({
  ...(Option.isSome(cursor) ? { cursor: cursor.value } : {}),
  ...(Option.isSome(limit) ? { limit: limit.value } : {})
})

const accounts = Command.make("accounts").pipe(
  Command.withDescription("Accounts and their plans"),
  Command.withSubcommands([
    Command.make("create", { name, plan }, (payload) => runAdminCommand((client) => client.createAccount({ payload })))
      .pipe(
        Command.withDescription("Create an account")
      ),
    Command.make("list", pageFlags, (page) => runAdminCommand((client) => client.accounts({ query: toPage(page) })))
      .pipe(
        Command.withDescription("List the accounts, oldest first")
      ),
    Command.make(
      "plan",
      { account, plan },
      ({ account, plan }) =>
        runAdminCommand((client) => client.changeAccount({ params: { id: account }, payload: { plan } }))
    ).pipe(Command.withDescription("Change an account's plan")),
    Command.make(
      "link",
      { account },
      ({ account }) => runAdminCommand((client) => client.createLink({ params: { id: account } }))
    )
      .pipe(Command.withDescription("Create a link that signs a user in to the account once; it is shown only once"))
  ])
)

const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([
    Command.make(
      "issue",
      { account, name, scopes, expires },
      ({ account, expires, name, scopes }) =>
        runAdminCommand((client) =>
          client.issueKey({ params: { id: account }, payload: { name, scopes, ...toExpiry(expires) } })
        )
    ).pipe(Command.withDescription("Issue a key; it is shown only once")),
    Command.make(
      "list",
      { account, ...pageFlags },
      ({ account, ...page }) =>
        runAdminCommand((client) => client.keys({ params: { id: account }, query: toPage(page) }))
    ).pipe(Command.withDescription("List an account's keys, oldest first")),
    Command.make(
      "change",
      { key, scopes: Flag.optional(scopes), expires },
      ({ expires, key, scopes }) =>
        runAdminCommand((client) =>
          client.changeKey({
            params: { id: key },
            payload: { ...(Option.isSome(scopes) ? { scopes: scopes.value } : {}), ...toExpiry(expires) }
          })
        )
    ).pipe(Command.withDescription("Change a key's scopes or expiry")),
    Command.make("revoke", { key }, ({ key }) => runAdminCommand((client) => client.revokeKey({ params: { id: key } })))
      .pipe(
        Command.withDescription("Revoke a key permanently")
      )
  ])
)

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
  Command.withSubcommands([accounts, keys, recompute]),
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
