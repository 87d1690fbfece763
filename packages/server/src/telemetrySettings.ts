import { Redacted, Schema } from "effect"

/** The pairs of a list such as `a=1,b=2`. Values are percent-decoded, names are not. Empty entries are ignored. */
const pairsOf = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "").map((entry) => {
    const end = entry.includes("=") ? entry.indexOf("=") : entry.length
    return [entry.slice(0, end).trim(), decodeURIComponent(entry.slice(end + 1).trim())] as const
  })

const form = "name=value pairs separated by commas, values percent-encoded"

/** Checks each entry of a list. A message refers to an entry by its number, from 1: the entry may contain a secret. */
const pairs = (problemOf: (name: string, value: string) => string | undefined) =>
  Schema.String.check(Schema.makeFilter((text: string) => {
    const entries = text.split(",")
    for (const [i, entry] of entries.entries()) {
      const at = `entry ${i + 1} of ${entries.length}`
      try {
        const [pair] = pairsOf(entry)
        if (pair === undefined) continue
        const problem = entry.includes("=") ? problemOf(...pair) : "has no `=`"
        if (problem !== undefined) return `${at} ${problem}; expected ${form}`
      } catch {
        return `${at} is not percent-encoded, a % in it must be written as %25; expected ${form}`
      }
    }
    return true
  }))

const headers = pairs((name, value) =>
  !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
    ? "has no valid name of a header"
    : /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : "has a value with characters that a header cannot contain"
)

const attributes = pairs((name) => decodeURIComponent(name) === "" ? "has no name" : undefined)

/** The address of the collector. The paths of signals follow it, and other programs may log it. */
const endpoint = Schema.String.check(Schema.makeFilter((text: string) => {
  if (!URL.canParse(text)) return "this is not an address; expected an http or https address"
  const { password, protocol, username } = new URL(text)
  if (!["http:", "https:"].includes(protocol)) return "the scheme is not http or https; expected such an address"
  if (username !== "" || password !== "") {
    return "the address has a user or a password; remove both and set OTEL_EXPORTER_OTLP_HEADERS instead, to " +
      "authorization=Basic%20 and the Base64 text of user:password"
  }
  // A path after an empty query or fragment would become a part of it.
  return !/[?#]/.test(text) ||
    "the address has a query or a fragment; remove it. Tokens belong in OTEL_EXPORTER_OTLP_HEADERS"
}))

/** The variables of telemetry, as OpenTelemetry's specification names them. */
export const telemetryVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Schema.optionalKey(endpoint),
  OTEL_EXPORTER_OTLP_HEADERS: Schema.optionalKey(headers),
  OTEL_SERVICE_NAME: Schema.optionalKey(Schema.NonEmptyString),
  OTEL_RESOURCE_ATTRIBUTES: Schema.optionalKey(attributes)
} as const

type Given = Schema.Struct<typeof telemetryVariables>["Type"]

/** The address to which telemetry is exported, and the identity of this process there. */
export interface TelemetrySettings {
  readonly endpoint: string
  /** Headers of every request to the endpoint. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly serviceName: string
  /** Attributes of the resource in addition to its name. */
  readonly attributes: Readonly<Record<string, string>>
}

/**
 * The settings of telemetry. Undefined without an endpoint. `OTEL_SERVICE_NAME` takes precedence over the same
 * attribute.
 */
export const telemetrySettingsOf = (given: Given): TelemetrySettings | undefined => {
  const endpoint = given.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return undefined
  const named = pairsOf(given.OTEL_RESOURCE_ATTRIBUTES ?? "").map(([name, value]) =>
    [decodeURIComponent(name), value] as const
  )
  const { "service.name": name, ...attributes } = Object.fromEntries(named)
  return {
    endpoint: endpoint.replace(/\/+$/, ""),
    headers: Redacted.make(Object.fromEntries(pairsOf(given.OTEL_EXPORTER_OTLP_HEADERS ?? ""))),
    serviceName: given.OTEL_SERVICE_NAME ?? (name || "tapeline"),
    attributes
  }
}
