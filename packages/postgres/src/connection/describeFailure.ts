import { MigrationError } from "effect/sql/Migrator"
import { isSqlError } from "effect/sql/SqlError"
import { SchemaTooOld } from "../migrations/SchemaTooOld.ts"
import { StatementFailed } from "../migrations/statements.ts"

const readProperty = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const readTextProperty = (value: unknown, name: string): string => {
  const text = readProperty(value, name)
  return typeof text === "string" ? text : ""
}

/** Returns an error and its causes, the outermost first. */
export const listCauses = (error: unknown): ReadonlyArray<unknown> => {
  const chain: Array<unknown> = []
  for (let current: unknown = error; current !== undefined && current !== null && chain.length < 10;) {
    chain.push(current)
    current = isSqlError(current) ? current.reason : readProperty(current, "cause")
  }
  return chain
}

/** An ended session and a connection that was never established have the same error codes. */
const connectionLost = "the connection was closed; PostgreSQL ended the session, or another program listens there"

const reasonsByCode: Readonly<Record<string, string>> = {
  ENOTFOUND: "its host was not found; check the name",
  EAI_AGAIN: "its host's name could not be resolved, because no name server responds",
  ECONNREFUSED: "the connection was refused; check that PostgreSQL listens at this host and port",
  ECONNRESET: connectionLost,
  EPIPE: connectionLost,
  ETIMEDOUT: "no response in time; check the firewall, and whether the server hangs",
  EHOSTUNREACH: "its host is unreachable",
  ENETUNREACH: "its host's network is unreachable",
  ENOENT: "there is no such socket; check that PostgreSQL listens in this folder",
  EACCES: "this user may not open the socket",
  TLS_NOT_SPOKEN: "the server does not support TLS; enable TLS there, or set a weaker sslmode",
  NOT_REPLICATED: "the standby did not confirm a commit in time; check the replication",
  NOT_POSTGRESQL: "the server at this address does not use PostgreSQL's protocol",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed; set sslrootcert to it or to its authority",
  SELF_SIGNED_CERT_IN_CHAIN:
    "the server's certificate is from an unknown authority; set sslrootcert to the authority's certificate",
  UNABLE_TO_GET_ISSUER_CERT:
    "the server's certificate is from an unknown authority; set sslrootcert to the authority's certificate",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "the server's certificate is from an unknown authority; set sslrootcert to the authority's certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "the server's certificate is from an unknown authority; set sslrootcert to the authority's certificate",
  CERT_SIGNATURE_FAILURE: "the server's certificate is not signed by the authority of sslrootcert",
  CERT_HAS_EXPIRED: "the server's certificate has expired, or this machine's clock is wrong",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet, or this machine's clock is wrong",
  CERT_REVOKED: "the server's certificate is revoked",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the server's certificate is for another host; use the name that it is for, or sslmode=verify-ca"
}

const reasonsBySqlState: Readonly<Record<string, string>> = {
  "25006": "the server is a standby or read-only; check that the address leads to the primary",
  "28P01": "the password is wrong, or the role does not exist",
  "3D000": "its database does not exist",
  "42501": "the role lacks a privilege: to connect to the database, or to create tables in its schema",
  "53100": "its disk is full; free about 100 MB there",
  "53300": "the server has too many connections; allow more there, or use a pooler",
  "57P01": "the server ended the session; an administrator terminated it, or the server is stopping",
  "57P02": "the server ended all sessions, because one of its processes crashed; it is recovering",
  "57P05": "the server ended the session, because it was idle for longer than idle_session_timeout",
  "25P03": "the server ended the session, because it was idle in a transaction for longer than the server allows",
  "57P03": "the server does not accept connections now; it is starting, stopping or recovering"
}

const describeServerError = (sqlState: string, message: string, routine: string): string | undefined => {
  // A pooler reports most rejections with the same code, so the message is examined.
  if (/unsupported startup parameter/i.test(message)) {
    return "a pooler rejected a startup parameter; remove options from the address, or make the pooler ignore it"
  }
  if (/no such database/i.test(message)) return reasonsBySqlState["3D000"]
  if (/no such user|auth_?query|authentication failed/i.test(message)) return reasonsBySqlState["28P01"]
  if (/no more connections allowed|too many (clients|connections)/i.test(message)) return reasonsBySqlState["53300"]
  if (/pg_hba/i.test(message)) {
    return /no encryption|SSL off/i.test(message)
      ? "pg_hba.conf of the server has no entry for this role from this machine without TLS; try sslmode=require"
      : "pg_hba.conf of the server has no entry for this role and database from this machine"
  }
  if (/client certificate/i.test(message)) {
    return "the server requires a client certificate; set sslcert and sslkey"
  }
  if (/SSL (is )?required|SSL connection is required|no encryption/i.test(message)) {
    return "the server accepts only connections with TLS; try sslmode=require"
  }
  if (sqlState === "28000") {
    return routine === "InitializeSessionUserId"
      ? "its role does not exist"
      : "the server rejected the role"
  }
  return reasonsBySqlState[sqlState]
}

const describeTlsError = (code: string): string | undefined => {
  if (/UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_(REQUIRED|UNKNOWN|EXPIRED)|HANDSHAKE_FAILURE/.test(code)) {
    return `the server rejected this client's certificate or TLS (${code}); check sslcert and sslkey`
  }
  return /^ERR_(SSL|OSSL|TLS)|^EPROTO$/.test(code) ? `the TLS handshake failed (${code})` : undefined
}

const describeClientError = (message: string): string | undefined => {
  if (/timed out/i.test(message)) return reasonsByCode["ETIMEDOUT"]
  if (/requested password authentication/.test(message)) {
    return "the server requires a password, and the address has none"
  }
  if (/SCRAM|SASL|not supported/.test(message)) {
    return "the server requires an authentication method that this client does not support"
  }
  return /closed/i.test(message) ? reasonsByCode["ECONNRESET"] : undefined
}

const maxStatementCharacters = 60

/** Describes the statement at which a migration failed, and the message of the server. */
const describeMigrationError = ({ message }: MigrationError, chain: ReadonlyArray<unknown>, code: string): string => {
  const [name] = message.split("\n")
  const failedStatement = chain.find((link) => link instanceof StatementFailed)
  const text = failedStatement?.text.trim().replace(/\s+/g, " ") ?? ""
  const location = failedStatement === undefined
    ? ""
    : ` at statement ${failedStatement.number} of ${failedStatement.total}, "${
      text.length > maxStatementCharacters ? `${text.slice(0, maxStatementCharacters)}...` : text
    }"`
  // A server message about an invalid value quotes the value, and is therefore not shown.
  const serverMessage = code.startsWith("22")
    ? ""
    : chain.map((link) => readTextProperty(link, "code") === code ? readTextProperty(link, "message") : "").find(
      Boolean
    )
  return `${name}${location}${serverMessage ? `: ${serverMessage}` : ""}${code === "" ? "" : ` (${code})`}`
}

/**
 * Describes the root cause of a failed connection or statement in one line, for an operator, without any part of the
 * URL. Messages of the server are quoted only for migrations, because other messages may contain stored values.
 */
export const describeFailure = (error: unknown): string => {
  const chain = listCauses(error).toReversed()
  const tooOld = chain.find((link) => link instanceof SchemaTooOld)
  if (tooOld !== undefined) return tooOld.message
  const codes = chain.map((link) => readTextProperty(link, "code")).filter((code) => code !== "")
  for (const link of chain) {
    const [code, message, routine] = [
      readTextProperty(link, "code"),
      readTextProperty(link, "message"),
      readTextProperty(link, "routine")
    ]
    const isSqlState = /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code)
    const reason = isSqlState
      ? describeServerError(code, message, routine)
      : reasonsByCode[code] ?? describeTlsError(code) ?? describeClientError(message)
    if (reason !== undefined) return reason
  }
  const failed = chain.find((link) => link instanceof MigrationError)
  if (failed !== undefined) return describeMigrationError(failed, chain, codes[0] ?? "")
  return codes.length === 0 ? "it failed" : `it failed (${codes[0]})`
}
