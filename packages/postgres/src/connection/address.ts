import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import type { ConnectionOptions } from "node:tls"

/** The address of a database cannot be used as it is written. The message says what to change, and repeats no value. */
export class InvalidDatabaseUrl extends Schema.TaggedError<InvalidDatabaseUrl>()("InvalidDatabaseUrl", {
  /** True of the address for sessions of their own. */
  direct: Schema.Boolean,
  reason: Schema.String
}) {
  override get message(): string {
    return `The ${this.direct ? "direct " : ""}address of PostgreSQL is wrong: ${this.reason}`
  }
}

/** Where a server is, and what is asked of TLS on the way. */
export interface Address {
  /** A host and port, or the path of a socket. */
  readonly at: { readonly host: string; readonly port: number } | { readonly path: string }
  readonly tls: {
    /** A server that does not speak TLS is spoken to without. */
    readonly optional: boolean
    /** Read anew for each connection, so that certificates may be replaced under a running process. */
    readonly options: () => ConnectionOptions
  } | null
}

const modes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const
type Mode = typeof modes[number]

const parameters = ["sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword"]

/** libpq's word for the authorities that the system trusts. */
const systemAuthorities = "system"

class Refused extends Error {}

const refuse = (reason: string): never => {
  throw new Refused(reason)
}

const readNamed = (parameter: string, file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable"
    return refuse(`the file that ${parameter} names cannot be read (${code})`)
  }
}

const modeOf = (query: URLSearchParams): Mode => {
  // As libpq takes it, for the sake of addresses written for JDBC.
  const given = query.get("sslmode") ?? (query.get("ssl") === "true" ? "require" : null)
  if (given === null) return query.get("sslrootcert") === systemAuthorities ? "verify-full" : "prefer"
  // "allow" asks for less than "prefer", which serves it as well.
  return modes.find((mode) => mode === (given === "allow" ? "prefer" : given)) ??
    refuse(`sslmode is none of ${modes.join(", ")}`)
}

const tlsOf = (query: URLSearchParams, host: string): Address["tls"] => {
  for (const name of query.keys()) {
    if (/^ssl./i.test(name) && !parameters.includes(name)) {
      refuse(`it has an unknown parameter that begins with "ssl"; there are ${parameters.join(", ")}`)
    }
  }
  const mode = modeOf(query)
  const [root, certificate, key] = [query.get("sslrootcert"), query.get("sslcert"), query.get("sslkey")]
  if (root === systemAuthorities && mode !== "verify-full") {
    refuse(`sslrootcert=${systemAuthorities} goes with sslmode=verify-full only`)
  }
  if ((certificate === null) !== (key === null)) refuse("sslcert and sslkey go together")
  if (mode === "disable") return null
  const verifiesHost = mode === "verify-full"
  const verifies = verifiesHost || mode === "verify-ca" || (mode === "require" && root !== null)
  const options = (): ConnectionOptions => ({
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: verifies,
    ...(verifiesHost ? {} : { checkServerIdentity: () => undefined }),
    ...(root === null || root === systemAuthorities || !verifies ? {} : { ca: readNamed("sslrootcert", root) }),
    ...(certificate === null || key === null
      ? {}
      : { cert: readNamed("sslcert", certificate), key: readNamed("sslkey", key) }),
    ...(query.get("sslpassword") === null ? {} : { passphrase: query.get("sslpassword")! })
  })
  options()
  return { optional: mode === "prefer", options }
}

const portOf = (text: string): number =>
  /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
    ? Number(text)
    : refuse("its port is not one from 1 to 65535")

/**
 * Where a `postgres://` address leads, and how: libpq's `host`, `port`, `sslmode` (`prefer` where it is not said),
 * `sslrootcert`, `sslcert`, `sslkey` and `sslpassword`. As in libpq `require` neither checks the certificate nor the
 * host, unless `sslrootcert` is given: then it is `verify-ca`. Where `verify-ca` or `verify-full` come without
 * `sslrootcert`, the authorities that Node trusts are asked. The names of files are looked at at once.
 */
export const readAddress = (text: string, direct: boolean): Address | InvalidDatabaseUrl => {
  try {
    if (!URL.canParse(text)) {
      return refuse("it is not an address; characters such as / and # of a password are written %2F and %23")
    }
    const url = new URL(text)
    if (!["postgres:", "postgresql:"].includes(url.protocol)) return refuse("it does not begin with postgres://")
    const query = url.searchParams
    const host = query.get("host") ?? (decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1") || "localhost")
    const port = portOf(query.get("port") ?? (url.port || "5432"))
    if (host.startsWith("/")) return { at: { path: `${host}/.s.PGSQL.${port}` }, tls: null }
    return { at: { host, port }, tls: tlsOf(query, host) }
  } catch (cause) {
    if (cause instanceof Refused) return new InvalidDatabaseUrl({ direct, reason: cause.message })
    if (cause instanceof URIError) return new InvalidDatabaseUrl({ direct, reason: "its host is not well encoded" })
    throw cause
  }
}
