#!/usr/bin/env node
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { allScopes } from "@tapeline/core"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readFileSync } from "node:fs"
import { adminTokenFile } from "./adminToken.ts"

/** The administration could not be reached, or refused. */
class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

const address = (process.env["TAPELINE_URL"] ?? "http://127.0.0.1:8787").replace(/\/+$/, "")

const token = Effect.try({
  try: () =>
    process.env["TAPELINE_ADMIN_TOKEN"] ??
      readFileSync(adminTokenFile(process.env["TAPELINE_DATA_DIR"] ?? "./data"), "utf8").trim(),
  catch: () =>
    new CommandFailed({
      reason:
        "No administration token: set TAPELINE_ADMIN_TOKEN, or run this where the server's data folder is (TAPELINE_DATA_DIR)."
    })
})

/** Asks the administration's API; its refusals become the command's. */
const ask = Effect.fnUntraced(function*(method: string, path: string, body?: unknown) {
  const authorization = `Bearer ${yield* token}`
  const response = yield* Effect.tryPromise({
    try: () =>
      fetch(`${address}/admin/v1${path}`, {
        method,
        headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }),
    catch: () =>
      new CommandFailed({ reason: `No Tapeline server answers at ${address}; set TAPELINE_URL to where it listens.` })
  })
  const text = yield* Effect.promise(() => response.text())
  if (response.ok) return text === "" ? undefined : (JSON.parse(text) as unknown)
  const problem = text === "" ? {} : (JSON.parse(text) as { readonly detail?: string; readonly issues?: unknown })
  const issues = problem.issues === undefined ? "" : ` ${JSON.stringify(problem.issues)}`
  return yield* new CommandFailed({ reason: `${response.status}: ${problem.detail ?? response.statusText}${issues}` })
})

const print = <E, R>(answer: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(
    answer,
    (value) => value === undefined ? Console.log("done") : Console.log(JSON.stringify(value, null, 2))
  )

const account = Argument.Int("account").pipe(Argument.withDescription("The account's id"))
const key = Argument.Int("key").pipe(Argument.withDescription("The key's id"))
const name = Flag.String("name").pipe(Flag.withDescription("A name to recognise it by"))
const plan = Flag.String("plan").pipe(
  Flag.withDescription("free, lite, pro, premium, or one of the configuration's own")
)
const scopes = Flag.String("scopes").pipe(Flag.withDescription(`Separated by commas: ${allScopes.join(",")}`))
const expires = Flag.String("expires").pipe(
  Flag.withDescription("When it expires, such as 2027-01-31T00:00:00Z; `never` takes an expiry away"),
  Flag.optional
)

const listOf = (text: string) => text.split(",").map((part) => part.trim()).filter((part) => part !== "")
const expiry = (given: Option.Option<string>) =>
  Option.isNone(given) ? {} : { expires_at: given.value === "never" ? null : given.value }

const accounts = Command.make("accounts").pipe(
  Command.withDescription("Accounts and their plans"),
  Command.withSubcommands([
    Command.make("create", { name, plan }, (body) => print(ask("POST", "/accounts", body))).pipe(
      Command.withDescription("Make an account")
    ),
    Command.make("list", {}, () => print(ask("GET", "/accounts"))).pipe(Command.withDescription("List the accounts")),
    Command.make(
      "plan",
      { account, plan },
      ({ account, plan }) => print(ask("PATCH", `/accounts/${account}`, { plan }))
    ).pipe(
      Command.withDescription("Put an account on another plan")
    )
  ])
)

const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([
    Command.make(
      "issue",
      { account, name, scopes, expires },
      ({ account, expires, name, scopes }) =>
        print(ask("POST", `/accounts/${account}/keys`, { name, scopes: listOf(scopes), ...expiry(expires) }))
    ).pipe(
      Command.withDescription("Issue a key; it is shown only now")
    ),
    Command.make("list", { account }, ({ account }) => print(ask("GET", `/accounts/${account}/keys`))).pipe(
      Command.withDescription("List an account's keys")
    ),
    Command.make(
      "change",
      { key, scopes: Flag.optional(scopes), expires },
      ({ expires, key, scopes }) =>
        print(ask("PATCH", `/keys/${key}`, {
          ...(Option.isSome(scopes) ? { scopes: listOf(scopes.value) } : {}),
          ...expiry(expires)
        }))
    ).pipe(Command.withDescription("Change a key's scopes or expiry")),
    Command.make("revoke", { key }, ({ key }) => print(ask("DELETE", `/keys/${key}`))).pipe(
      Command.withDescription("Revoke a key for good")
    )
  ])
)

Command.make("tapeline").pipe(
  Command.withDescription("Administration of a Tapeline server (TAPELINE_URL, TAPELINE_ADMIN_TOKEN)"),
  Command.withSubcommands([accounts, keys]),
  Command.run({ version: "0.1.0" }),
  Effect.catchTag("CommandFailed", (error) =>
    Effect.flatMap(Console.error(error.message), () =>
      Effect.sync(() => {
        process.exitCode = 1
      }))),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
