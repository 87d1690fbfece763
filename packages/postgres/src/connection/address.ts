import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import type { ConnectionOptions } from "node:tls"

/** The URL of a database is invalid; the error message contains no values of the URL. */
export class InvalidDatabaseUrl extends Schema.TaggedError<InvalidDatabaseUrl>()("InvalidDatabaseUrl", {
  /** True if the option `directUrl` contains the invalid URL. */
  direct: Schema.Boolean,
  reason: Schema.String
}) {
  override get message(): string {
    return `The ${this.direct ? "direct " : ""}address of PostgreSQL is invalid: ${this.reason}`
  }
}

export interface Address {
  readonly endpoint: { readonly host: string; readonly port: number } | { readonly path: string }
  readonly tls: {
    /** Whether to connect without TLS if the server does not support TLS. */
    readonly isOptional: boolean
    /** Reads the TLS files for each new connection, so that certificates can be replaced while the process runs. */
    readonly readOptions: () => ConnectionOptions
  } | null
}

const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const
type SslMode = typeof sslModes[number]

const tlsParameters = ["sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword"]

const systemAuthorities = "system"

class InvalidUrl extends Error {}

const reject = (reason: string): never => {
  throw new InvalidUrl(reason)
}

const readTlsFile = (parameter: string, file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable"
    return reject(`the file of ${parameter} cannot be read (${code})`)
  }
}

const parseSslMode = (query: URLSearchParams): SslMode => {
  // libpq also accepts `ssl=true`, for URLs that were written for JDBC.
  const requestedMode = query.get("sslmode") ?? (query.get("ssl") === "true" ? "require" : null)
  if (requestedMode === null) return query.get("sslrootcert") === systemAuthorities ? "verify-full" : "prefer"
  // The mode `prefer` also fulfils the weaker mode `allow`.
  return sslModes.find((mode) => mode === (requestedMode === "allow" ? "prefer" : requestedMode)) ??
    reject(`sslmode must be one of ${sslModes.join(", ")}`)
}

const parseTls = (query: URLSearchParams, host: string): Address["tls"] => {
  for (const name of query.keys()) {
    if (/^ssl./i.test(name) && !tlsParameters.includes(name)) {
      reject(`it has an unknown parameter that begins with "ssl"; known: ${tlsParameters.join(", ")}`)
    }
  }
  const mode = parseSslMode(query)
  const [root, certificate, key] = [query.get("sslrootcert"), query.get("sslcert"), query.get("sslkey")]
  if (root === systemAuthorities && mode !== "verify-full") {
    reject(`sslrootcert=${systemAuthorities} requires sslmode=verify-full`)
  }
  if ((certificate === null) !== (key === null)) reject("sslcert and sslkey must be set together")
  if (mode === "disable") return null
  const checksHost = mode === "verify-full"
  const checksCertificate = checksHost || mode === "verify-ca" || (mode === "require" && root !== null)
  const readOptions = (): ConnectionOptions => ({
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: checksCertificate,
    ...(checksHost ? {} : { checkServerIdentity: () => undefined }),
    ...(root === null || root === systemAuthorities || !checksCertificate
      ? {}
      : { ca: readTlsFile("sslrootcert", root) }),
    ...(certificate === null || key === null
      ? {}
      : { cert: readTlsFile("sslcert", certificate), key: readTlsFile("sslkey", key) }),
    ...(query.get("sslpassword") === null ? {} : { passphrase: query.get("sslpassword")! })
  })
  readOptions()
  return { isOptional: mode === "prefer", readOptions }
}

const parsePort = (text: string): number =>
  /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
    ? Number(text)
    : reject("its port must be a number from 1 to 65535")

/**
 * Parses the address and the TLS settings of a `postgres://` URL. Supports libpq's parameters `host`, `port`, `sslmode`
 * (`prefer` by default), `sslrootcert`, `sslcert`, `sslkey` and `sslpassword`. As in libpq, `require` checks neither
 * the certificate nor the host. If `sslrootcert` is set, `require` means `verify-ca`. Without `sslrootcert`,
 * `verify-ca` and `verify-full` use the authorities that Node trusts. The TLS files are also read while the URL is
 * parsed, to report unreadable files early.
 */
export const parseAddress = (text: string, isDirect: boolean): Address | InvalidDatabaseUrl => {
  try {
    if (!URL.canParse(text)) {
      return reject("it is not an address; characters such as / and # in a password must be written as %2F and %23")
    }
    const url = new URL(text)
    if (!["postgres:", "postgresql:"].includes(url.protocol)) return reject("it does not begin with postgres://")
    const query = url.searchParams
    const host = query.get("host") ?? (decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1") || "localhost")
    if (host.includes(",")) {
      return reject("it names several hosts; name one, such as a HAProxy that forwards connections to the primary")
    }
    const port = parsePort(query.get("port") ?? (url.port || "5432"))
    if (host.startsWith("/")) return { endpoint: { path: `${host}/.s.PGSQL.${port}` }, tls: null }
    return { endpoint: { host, port }, tls: parseTls(query, host) }
  } catch (cause) {
    if (cause instanceof InvalidUrl) return new InvalidDatabaseUrl({ direct: isDirect, reason: cause.message })
    if (cause instanceof URIError) {
      return new InvalidDatabaseUrl({ direct: isDirect, reason: "its host is not percent-encoded correctly" })
    }
    throw cause
  }
}
