import { AccountStatus } from "@tapeline/core/engine"
import { Command, Flag } from "effect/cli"
import { accountDataCommands } from "./accountData.ts"
import {
  account,
  idempotencyKey,
  name,
  optional,
  pageFlags,
  plan,
  runAdminCommand,
  toHeaders,
  toPage
} from "./common.ts"

const externalId = Flag.String("external-id").pipe(Flag.withDescription("The account's id in your own systems"))

const metadata = Flag.KeyValuePair("metadata").pipe(
  Flag.withDescription("Your own data about the account, as name=value; can be repeated"),
  Flag.optional
)

const reason = Flag.String("reason").pipe(
  Flag.withDescription("The reason, for operators; the account's user does not see it"),
  Flag.optional
)

const changeStatus = (name: string, status: AccountStatus, description: string) =>
  Command.make(
    name,
    { account, reason, idempotencyKey },
    ({ account, idempotencyKey, reason }) =>
      runAdminCommand((client) =>
        client.changeAccount({
          params: { id: account },
          headers: toHeaders(idempotencyKey),
          payload: { status, ...optional("reason", reason) }
        })
      )
  ).pipe(Command.withDescription(description))

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Accounts and their plans"),
  Command.withSubcommands([
    Command.make(
      "create",
      { name, plan, externalId: Flag.optional(externalId), metadata, idempotencyKey },
      ({ externalId, idempotencyKey, metadata, name, plan }) =>
        runAdminCommand((client) =>
          client.createAccount({
            headers: toHeaders(idempotencyKey),
            payload: { name, plan, ...optional("external_id", externalId), ...optional("metadata", metadata) }
          })
        )
    ).pipe(Command.withDescription("Create an account")),
    Command.make(
      "list",
      { ...pageFlags, externalId: Flag.optional(externalId) },
      ({ externalId, ...page }) =>
        runAdminCommand(
          (client) => client.accounts({ query: { ...toPage(page), ...optional("external_id", externalId) } }),
          ["id", "name", "plan", "external_id", "status", "created_at"]
        )
    ).pipe(Command.withDescription("List the accounts, oldest first, or find one by its external id")),
    Command.make(
      "get",
      { account },
      ({ account }) => runAdminCommand((client) => client.account({ params: { id: account } }))
    ).pipe(
      Command.withDescription("Show an account")
    ),
    Command.make(
      "update",
      { account, name: Flag.optional(name), externalId: Flag.optional(externalId), metadata, idempotencyKey },
      ({ account, externalId, idempotencyKey, metadata, name }) =>
        runAdminCommand((client) =>
          client.changeAccount({
            params: { id: account },
            headers: toHeaders(idempotencyKey),
            payload: {
              ...optional("name", name),
              ...optional("external_id", externalId),
              ...optional("metadata", metadata)
            }
          })
        )
    ).pipe(Command.withDescription("Change the name, the external id or the metadata of an account")),
    Command.make(
      "plan",
      { account, plan, idempotencyKey },
      ({ account, idempotencyKey, plan }) =>
        runAdminCommand((client) =>
          client.changeAccount({ params: { id: account }, headers: toHeaders(idempotencyKey), payload: { plan } })
        )
    ).pipe(Command.withDescription("Change an account's plan")),
    changeStatus("suspend", "suspended", "Reject an account's keys and sessions until it is reactivated"),
    changeStatus("reactivate", "active", "Reactivate a suspended account"),
    changeStatus("close", "closed", "Close an account permanently: revoke its keys and end its sessions"),
    Command.make(
      "revoke-all",
      { account, idempotencyKey },
      ({ account, idempotencyKey }) =>
        runAdminCommand((client) => client.revokeAll({ params: { id: account }, headers: toHeaders(idempotencyKey) }))
    ).pipe(Command.withDescription("Revoke all keys and end all sessions of an account")),
    Command.make(
      "link",
      { account, idempotencyKey },
      ({ account, idempotencyKey }) =>
        runAdminCommand((client) => client.createLink({ params: { id: account }, headers: toHeaders(idempotencyKey) }))
    ).pipe(Command.withDescription("Create a link that signs a user in to the account once; it is shown only once")),
    ...accountDataCommands
  ])
)
