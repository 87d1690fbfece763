import { Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  account,
  expires,
  idempotencyKey,
  key,
  name,
  pageFlags,
  runAdminCommand,
  scopes,
  toExpiry,
  toHeaders,
  toPage
} from "./common.ts"

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([
    Command.make(
      "issue",
      { account, name, scopes, expires, idempotencyKey },
      ({ account, expires, idempotencyKey, name, scopes }) =>
        runAdminCommand((client) =>
          client.issueKey({
            params: { id: account },
            headers: toHeaders(idempotencyKey),
            payload: { name, scopes, ...toExpiry(expires) }
          })
        )
    ).pipe(Command.withDescription("Issue a key; it is shown only once")),
    Command.make(
      "list",
      { account, ...pageFlags },
      ({ account, ...page }) =>
        runAdminCommand(
          (client) => client.keys({ params: { id: account }, query: toPage(page) }),
          ["id", "name", "prefix", "scopes", "expires_at", "revoked_at", "last_used_at"]
        )
    ).pipe(Command.withDescription("List an account's keys, oldest first")),
    Command.make(
      "change",
      { key, scopes: Flag.optional(scopes), expires, idempotencyKey },
      ({ expires, idempotencyKey, key, scopes }) =>
        runAdminCommand((client) =>
          client.changeKey({
            params: { id: key },
            headers: toHeaders(idempotencyKey),
            payload: { ...(Option.isSome(scopes) ? { scopes: scopes.value } : {}), ...toExpiry(expires) }
          })
        )
    ).pipe(Command.withDescription("Change a key's scopes or expiry")),
    Command.make(
      "revoke",
      { key, idempotencyKey },
      ({ idempotencyKey, key }) =>
        runAdminCommand((client) => client.revokeKey({ params: { id: key }, headers: toHeaders(idempotencyKey) }))
    ).pipe(Command.withDescription("Revoke a key permanently"))
  ])
)
