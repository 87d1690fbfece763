import { Schema } from "effect"

/** The variables that set the address of a listener. */
export interface ListenerNames {
  readonly host: string
  readonly port: string
}

/** Explanations of the system's error codes, which name the variable to change. */
const explanationByCode: Readonly<Record<string, (names: ListenerNames) => string>> = {
  EADDRINUSE: ({ port }) => `The port is taken: set ${port} to another one, or stop what listens there.`,
  EACCES: ({ port }) => `This user may not listen on that port: set ${port} to one above 1023.`,
  EADDRNOTAVAIL: ({ host }) =>
    `This machine has no such address to listen on: set ${host} to one of its own, or to 0.0.0.0 for all.`,
  ENOTFOUND: ({ host }) =>
    `${host} is a name that leads to no address: set it to an address of this machine, or to 0.0.0.0 for all.`,
  EAI_AGAIN: ({ host }) =>
    `${host} is a name that cannot be looked up now: set it to an address of this machine, or to 0.0.0.0 for all.`,
  EINVAL: ({ host }) =>
    `${host} is no address that can be listened on: set it to an address of this machine, or to 0.0.0.0 for all.`
}

/** The server cannot listen on its configured address. The message names the variable to change. */
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
