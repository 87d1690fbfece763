import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { withAdminClient } from "../adminClient.ts"
import { CommandEnvironment, month, optional, pageFlags, runAdminCommand } from "./common.ts"

const textFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)
const idFlag = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional)

const flags = {
  month,
  from: textFlag("from", "The first day, UTC, such as 2026-11-01"),
  to: textFlag("to", "The last day, UTC, such as 2026-11-15"),
  account: idFlag("account", "Only the usage of this account"),
  key: idFlag("key", "Only the usage of this API key"),
  operation: textFlag("operation", "Only this operation: a tool's name, or agent.answer"),
  group_by: Flag.String("group-by").pipe(
    Flag.withDescription("Any of account, month, day, key, operation, separated by commas; default: account"),
    Flag.optional
  ),
  cursor: textFlag("cursor", "The `next_cursor` of the previous page; default: the first page"),
  limit: pageFlags.limit
}

export const usage = Command.make(
  "usage",
  {
    ...flags,
    csv: Flag.Boolean("csv").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print all lines as comma-separated values")
    )
  },
  ({ account, csv, cursor, from, group_by, key, limit, month, operation, to }) => {
    const parameters = {
      ...optional("month", month),
      ...optional("from", from),
      ...optional("to", to),
      ...optional("account", account),
      ...optional("key", key),
      ...optional("operation", operation),
      ...optional("group_by", group_by),
      ...optional("cursor", cursor),
      ...optional("limit", limit)
    }
    return csv
      ? Effect.map(
        Effect.flatMap(
          CommandEnvironment,
          (environment) =>
            withAdminClient(environment, (client) => client.usageReport({ query: { format: "csv", ...parameters } }))
        ),
        (report) => void process.stdout.write(typeof report === "string" ? report : "")
      )
      : runAdminCommand((client) => client.usageReport({ query: { format: "json", ...parameters } }))
  }
).pipe(Command.withDescription("Report the usage of all accounts, or of one, for billing"))
