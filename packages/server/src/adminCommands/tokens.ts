import { AdminScope, adminScopeMeanings } from "@tapeline/core/engine"
import { Argument, Command } from "effect/cli"
import {
  expires,
  idempotencyKey,
  makeScopesFlag,
  name,
  pageFlags,
  runAdminCommand,
  toExpiry,
  toHeaders,
  toPage
} from "./common.ts"

const token = Argument.Int("token").pipe(Argument.withDescription("The admin token's id"))

export const tokens = Command.make("tokens").pipe(
  Command.withDescription("Admin tokens"),
  Command.withSubcommands([
    Command.make(
      "create",
      { name, scopes: makeScopesFlag(AdminScope, adminScopeMeanings), expires, idempotencyKey },
      ({ expires, idempotencyKey, name, scopes }) =>
        runAdminCommand((client) =>
          client.createAdminToken({
            headers: toHeaders(idempotencyKey),
            payload: { name, scopes, ...toExpiry(expires) }
          })
        )
    ).pipe(Command.withDescription("Create an admin token; it is shown only once")),
    Command.make(
      "list",
      pageFlags,
      (page) =>
        runAdminCommand(
          (client) => client.adminTokens({ query: toPage(page) }),
          ["id", "name", "scopes", "created_by", "expires_at", "revoked_at", "last_used_at"]
        )
    ).pipe(Command.withDescription("List the admin tokens, oldest first")),
    Command.make(
      "revoke",
      { token, idempotencyKey },
      ({ idempotencyKey, token }) =>
        runAdminCommand((client) =>
          client.revokeAdminToken({ params: { id: token }, headers: toHeaders(idempotencyKey) })
        )
    ).pipe(Command.withDescription("Revoke an admin token permanently"))
  ])
)
