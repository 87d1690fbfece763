import { Redacted, Schema } from "effect"

/** Parses a list of pairs such as `a=1,b=2`. Decodes percent-encoded values, but leaves names unchanged. */
const parsePairs = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "").map((entry) => {
    const end = entry.includes("=") ? entry.indexOf("=") : entry.length
    return [entry.slice(0, end).trim(), decodeURIComponent(entry.slice(end + 1).trim())] as const
  })

const expectedForm = "name=value pairs separated by commas, values percent-encoded"

/**
 * Creates a schema that checks each pair of a list such as `a=1,b=2`. An error contains the number of the invalid entry
 * but never its text, because the text may be a secret.
 */
const pairsSchema = (findProblem: (name: string, value: string) => string | undefined) =>
  Schema.String.check(Schema.makeFilter((text: string) => {
    const entries = text.split(",")
    for (const [i, entry] of entries.entries()) {
      const position = `entry ${i + 1} of ${entries.length}`
      try {
        const [pair] = parsePairs(entry)
        if (pair === undefined) continue
        const problem = entry.includes("=") ? findProblem(...pair) : "has no `=`"
        if (problem !== undefined) return `${position} ${problem}; expected ${expectedForm}`
      } catch {
        return `${position} is not percent-encoded, a % in it must be written as %25; expected ${expectedForm}`
      }
    }
    return true
  }))

const headersSchema = pairsSchema((name, value) =>
  !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
    ? "has no valid header name"
    : /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : "has a value with characters that a header cannot contain"
)

const attributesSchema = pairsSchema((name) => decodeURIComponent(name) === "" ? "has no name" : undefined)

/** Accepts the base URL of a telemetry collector, without credentials, because other programs may log the URL. */
const endpointSchema = Schema.String.check(Schema.makeFilter((text: string) => {
  if (!URL.canParse(text)) return "this is not an address; expected an http or https address"
  const { password, protocol, username } = new URL(text)
  if (!["http:", "https:"].includes(protocol)) return "the scheme is not http or https; expected such an address"
  if (username !== "" || password !== "") {
    return "the address has a user or a password; remove both and set OTEL_EXPORTER_OTLP_HEADERS instead, to " +
      "authorization=Basic%20 and the Base64 text of user:password"
  }
  // An empty query or fragment is rejected too, because an appended path would become part of the query or fragment.
  return !/[?#]/.test(text) ||
    "the address has a query or a fragment; remove it. Tokens belong in OTEL_EXPORTER_OTLP_HEADERS"
}))

/**
 * The schemas of the environment variables that configure telemetry, with the names of OpenTelemetry's specification.
 */
export const telemetryVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Schema.optionalKey(endpointSchema),
  OTEL_EXPORTER_OTLP_HEADERS: Schema.optionalKey(headersSchema),
  OTEL_SERVICE_NAME: Schema.optionalKey(Schema.NonEmptyString),
  OTEL_RESOURCE_ATTRIBUTES: Schema.optionalKey(attributesSchema)
} as const

type TelemetryEnvironment = Schema.Struct<typeof telemetryVariables>["Type"]

/** The URL to which telemetry is exported, and the attributes that identify the process. */
export interface TelemetrySettings {
  readonly endpoint: string
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly serviceName: string
  /** The resource attributes other than `service.name`. */
  readonly attributes: Readonly<Record<string, string>>
}

/**
 * Returns the telemetry settings, or undefined without an endpoint. `OTEL_SERVICE_NAME` takes precedence over the
 * attribute `service.name`.
 */
export const telemetrySettingsOf = (environment: TelemetryEnvironment): TelemetrySettings | undefined => {
  const endpoint = environment.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return undefined
  const decodedPairs = parsePairs(environment.OTEL_RESOURCE_ATTRIBUTES ?? "").map(([name, value]) =>
    [decodeURIComponent(name), value] as const
  )
  const { "service.name": name, ...attributes } = Object.fromEntries(decodedPairs)
  return {
    endpoint: endpoint.replace(/\/+$/, ""),
    headers: Redacted.make(Object.fromEntries(parsePairs(environment.OTEL_EXPORTER_OTLP_HEADERS ?? ""))),
    serviceName: environment.OTEL_SERVICE_NAME ?? (name || "tapeline"),
    attributes
  }
}
