import { DatabaseUnavailable, InvalidDatabaseUrl } from "@tapeline/postgres"
import { Predicate } from "effect"
import { resolve } from "node:path"
import { variableNameOf } from "./secretFiles.ts"

/** Returns the terminal message of a failed server start, without a stack. */
export const explainError = (
  error: unknown,
  environment: Readonly<Record<string, string | undefined>> = process.env
): string => {
  if (error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) {
    const dataDir = resolve(environment["TAPELINE_DATA_DIR"] || "./data")
    return `The data folder ${dataDir} cannot be written to, because its disk is full (${error.code}). Free some ` +
      "space, or set TAPELINE_DATA_DIR to a folder on another disk."
  }
  if (error instanceof DatabaseUnavailable || error instanceof InvalidDatabaseUrl) {
    const sentence = `${error.message}.`
    if ("embedded" in error && error.embedded) return sentence
    return `${variableNameOf(error.direct ? "DATABASE_DIRECT_URL" : "DATABASE_URL", environment)}: ${sentence}`
  }
  if (Predicate.isTagged(error, "RedisUnavailable") && error instanceof Error) {
    return `${error.message}. Check ${variableNameOf("REDIS_URL", environment)}, and that Redis listens there.`
  }
  if (error instanceof Error && "syscall" in error && "path" in error) {
    return `The data folder cannot be used: ${error.message}. Set TAPELINE_DATA_DIR to a folder that this user may write to.`
  }
  if (Predicate.isTagged(error, "PgliteUnavailable") && error instanceof Error) {
    return `${error.message} The folder is inside TAPELINE_DATA_DIR.`
  }
  return error instanceof Error && error.message !== "" ? error.message : String(error)
}
