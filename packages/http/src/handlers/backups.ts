import { backupMediaType, servedBackupsApi } from "@tapeline/api"
import { AdminStore, DatabaseBackups, startBackup } from "@tapeline/core"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeOperation } from "../responses.ts"
import { nodeResponseOf } from "../streaming/nodeResponse.ts"

/** The time in ms after which a backup ends if its reader receives nothing. */
const maxStallMs = 60_000

export const layerBackups = HttpApiBuilder.group(
  servedBackupsApi,
  "backups",
  Effect.fnUntraced(function*(handlers) {
    const [backups, adminStore] = yield* Effect.all([DatabaseBackups, AdminStore])
    const start = startBackup.pipe(
      Effect.provideService(DatabaseBackups, backups),
      Effect.provideService(AdminStore, adminStore)
    )
    return handlers.handleRaw(
      "backup",
      makeOperation(Effect.fnUntraced(function*({ request }) {
        const bytes = yield* start
        const response = nodeResponseOf(request)
        response?.setTimeout(maxStallMs, () => void response.destroy())
        return HttpServerResponse.stream(bytes, {
          contentType: backupMediaType,
          headers: { "cache-control": "no-store" }
        })
      }))
    )
  })
)
