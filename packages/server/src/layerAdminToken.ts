import { AdminTokens, type StoreUnavailable } from "@tapeline/core"
import { AdminToken } from "@tapeline/http"
import { Effect, Layer } from "effect"
import { type AdminTokenUnusable, type DataDirUnusable, readOrCreateAdminToken } from "./adminToken.ts"
import type { Settings } from "./settings.ts"

/**
 * Logs an error if no admin token can create other admin tokens. The server starts nevertheless, because an expired
 * admin token must not stop the calls of customers.
 */
const reportMissingKeysToken = Effect.gen(function*() {
  const tokens = yield* AdminTokens
  if (yield* tokens.hasValidToken("keys")) return
  yield* Effect.logError(
    "TAPELINE_ADMIN_BOOTSTRAP is off, but no valid admin token has the scope `keys`, so nobody can manage keys and " +
      "admin tokens. Set TAPELINE_ADMIN_BOOTSTRAP=on, restart, and create a token with `tapeline tokens create`."
  )
})

/** Provides the admin token of the environment or file, or null if the settings switch the token off. */
export const layerAdminToken = (
  { adminToken, dataDir, hasBootstrapToken }: Pick<Settings, "adminToken" | "dataDir" | "hasBootstrapToken">
): Layer.Layer<AdminToken, AdminTokenUnusable | DataDirUnusable | StoreUnavailable, AdminTokens> =>
  Layer.effect(
    AdminToken,
    Effect.gen(function*() {
      if (hasBootstrapToken) return adminToken ?? (yield* readOrCreateAdminToken(dataDir))
      yield* reportMissingKeysToken
      return null
    })
  )
