import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AdminAuthorization, adminOperation } from "./authorization.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/** The media type of a backup. */
export const backupMediaType = "application/gzip"

const BackupArchive = Schema.Uint8Array.annotate({
  description: "A compressed tar archive. An archive without the last entry `end.json` is incomplete"
}).pipe(HttpApiSchema.asUint8Array({ contentType: backupMediaType }))

/** The admin endpoint that returns a backup of the embedded database. */
export const backupsGroup = HttpApiGroup.make("backups")
  .add(
    HttpApiEndpoint.get("backup", "/admin/v1/backup", {
      success: BackupArchive,
      error: problemSchemas("backup_running")
    }).annotateMerge(
      adminOperation("backup", {
        identifier: "downloadBackup",
        summary: "Download a backup of the database",
        description:
          "Returns the whole embedded database as a compressed tar archive, which `tapeline restore` reads. Calls " +
          "continue during the backup. The archive contains the data of all accounts, and the hashes of all secrets. A " +
          "server on PostgreSQL does not have this operation. Records an event."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Backups of the embedded database.")
