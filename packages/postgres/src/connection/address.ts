import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import type { ConnectionOptions } from "node:tls"

/** The URL of a database is not usable. The message describes what to change, and contains no values. */
export class InvalidDatabaseUrl extends Schema.TaggedError<InvalidDatabaseUrl>()("InvalidDatabaseUrl", {
  /** True for `directUrl`. */
  direct: Schema.Boolean,
  reason: Schema.String
}) {
  override get message(): string {
    return `The ${this.direct ? "direct " : ""}address of PostgreSQL is wrong: ${this.reason}`
  }
}

/** The address of a server, and its TLS settings. */
export interface Address {
  /** A host and port, or the path of a socket. */
  readonly at: { readonly host: string; readonly port: number } | { readonly path: string }
  readonly tls: {
    /** Whether to connect without TLS if the server does not support it. */
    readonly optional: boolean
    /** Reads the files again for each connection, so that certificates can be replaced while the process runs. */
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
  // libpq accepts it too, for URLs that were written for JDBC.
  const given = query.get("sslmode") ?? (query.get("ssl") === "true" ? "require" : null)
  if (given === null) return query.get("sslrootcert") === systemAuthorities ? "verify-full" : "prefer"
  // "allow" requires less than "prefer", which satisfies it as well.
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
 * Reads the address and the TLS settings of a `postgres://` URL: libpq's `host`, `port`, `sslmode` (`prefer` by
 * default), `sslrootcert`, `sslcert`, `sslkey` and `sslpassword`.
 *
 * As in libpq, `require` checks neither the certificate nor the host, unless `sslrootcert` is given: it then means
 * `verify-ca`. Without `sslrootcert`, `verify-ca` and `verify-full` use the authorities that Node trusts. The named
 * files are read at once, to check them.
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
