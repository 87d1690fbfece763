import { Schema } from "effect"

/** The names of the environment variables that set the host and the port of a listener. */
export interface ListenerNames {
  readonly host: string
  readonly port: string
}

const explanationByCode: Readonly<Record<string, (names: ListenerNames) => string>> = {
  EADDRINUSE: ({ port }) => `The port is in use: set ${port} to another port, or stop the process that listens there.`,
  EACCES: ({ port }) => `This user may not listen on that port: set ${port} to a port above 1023.`,
  EADDRNOTAVAIL: ({ host }) =>
    `The address does not belong to this machine: set ${host} to one of its addresses, or to 0.0.0.0 for all.`,
  ENOTFOUND: ({ host }) =>
    `The name in ${host} has no address: set ${host} to an address of this machine, or to 0.0.0.0 for all.`,
  EAI_AGAIN: ({ host }) =>
    `The name in ${host} cannot be resolved: set ${host} to an address of this machine, or to 0.0.0.0 for all.`,
  EINVAL: ({ host }) => `${host} is not a valid address: set it to an address of this machine, or to 0.0.0.0 for all.`
}

/**
 * The server cannot listen on its configured address, and the error message names the environment variable to change.
 */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  names: Schema.Struct({ host: Schema.String, port: Schema.String }),
  cause: Schema.Defect()
}) {
  override get message(): string {
    const { cause, names } = this
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
    return explanationByCode[code]?.(names) ??
      `The server cannot listen (${code}). Check ${names.host} and ${names.port}.`
  }
}
