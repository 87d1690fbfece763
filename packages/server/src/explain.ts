import { DatabaseUnavailable, InvalidDatabaseUrl } from "@tapeline/postgres"
import { Predicate } from "effect"

/** What the system says when the server may not listen where it was told to, and what to change. */
const listening: Readonly<Record<string, string>> = {
  EADDRINUSE: "The port is taken: set PORT to another one, or stop what listens there.",
  EACCES: "This user may not listen on that port: set PORT to one above 1023.",
  EADDRNOTAVAIL: "This machine has no such address to listen on: set HOST to one of its own, or to 0.0.0.0 for all.",
  ENOTFOUND: "HOST is a name that leads to no address: set it to an address of this machine, or to 0.0.0.0 for all.",
  EAI_AGAIN:
    "HOST is a name that cannot be looked up now: set it to an address of this machine, or to 0.0.0.0 for all.",
  EINVAL: "HOST is no address that can be listened on: set it to an address of this machine, or to 0.0.0.0 for all."
}

/** What a person at the terminal needs to know of a start that failed: the message, without a stack. */
export const explain = (error: unknown): string => {
  if (Predicate.isTagged(error, "ServeError") && "cause" in error && error.cause instanceof Error) {
    const code = "code" in error.cause ? String(error.cause.code) : ""
    return listening[code] ?? `The server cannot listen (${code}). Check HOST and PORT.`
  }
  if (error instanceof DatabaseUnavailable || error instanceof InvalidDatabaseUrl) {
    const sentence = error.message.endsWith("?") ? error.message : `${error.message}.`
    return `${error.direct ? "DATABASE_DIRECT_URL" : "DATABASE_URL"}: ${sentence}`
  }
  if (Predicate.isTagged(error, "RedisUnavailable") && error instanceof Error) {
    return `${error.message}. Check REDIS_URL, and that Redis listens there.`
  }
  if (error instanceof Error && "syscall" in error && "path" in error) {
    return `The data folder cannot be used: ${error.message}. Set TAPELINE_DATA_DIR to a folder that this user may write to.`
  }
  return error instanceof Error && error.message !== "" ? error.message : String(error)
}
