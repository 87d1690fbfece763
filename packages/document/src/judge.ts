import type { Description, Json } from "./Description.ts"
import { eventsOf } from "./events.ts"

/** A received response and its request. */
export interface Seen {
  readonly method: string
  /** The path as sent, without its query. */
  readonly path: string
  readonly status: number
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The decoded body, as far as it was received. */
  readonly body: Uint8Array
  /** Whether the complete body was received. */
  readonly whole: boolean
}

/** Headers of HTTP, caches and browsers, which are not part of this API. */
const ofTheTransport = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-security-policy",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "vary",
  "x-content-type-options"
])

/** Pages for people, with their assets and redirects. No OpenAPI document describes them. */
const pages = new Set(["/", "/app", "/docs", "/docs/scalar.js", "/openapi.json"])
const isPage = (path: string): boolean => pages.has(path) || path.startsWith("/app/")

/**
 * Paths of other protocols, which describe themselves. Requests rejected before the protocol get the usual error
 * responses.
 */
const otherProtocols = new Set(["/mcp"])

/**
 * Error codes that are allowed where the document has no operation: unknown paths or methods, and faults of HTTP or the
 * service.
 */
const anywhere = new Set([
  "headers_too_large",
  "internal",
  "invalid_arguments",
  "invalid_request",
  "not_found",
  "request_timeout",
  "unavailable"
])

const asJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

const codeOf = ({ body }: Seen): string => {
  const problem = asJson(body)
  return typeof problem === "object" && problem !== null && "code" in problem ? String(problem.code) : "no code"
}

const headerFaults = (description: Description, response: Json, { headers }: Seen): ReadonlyArray<string> => {
  const declared = new Map(
    Object.entries<Json>(response["headers"] ?? {}).map(([name, one]) => [name, description.resolve(one, [])])
  )
  const missing = [...declared].filter(([name, [{ required }]]) => required === true && headers[name] === undefined)
  const given = Object.entries(headers).filter(([name]) =>
    !ofTheTransport.has(name) && !name.startsWith("access-control-")
  )
  return [
    ...missing.map(([name]) => `the header ${name} is missing`),
    ...given.flatMap(([name, value]) => {
      const found = declared.get(name)
      if (found === undefined) return [`the header ${name} is not described`]
      const [{ schema }, pointer] = found
      const is = schema.type === "integer" && /^-?\d+$/.test(value) ? Number(value) : value
      const fault = description.faultOf([...pointer, "schema"], is)
      return fault === undefined ? [] : [`the header ${name} is ${value}: ${fault}`]
    })
  ]
}

/** Checks each event against the schema of its kind, and its data against the schema of that data. */
const eventFaults = (description: Description, media: Json, { body }: Seen): ReadonlyArray<string> => {
  const [union] = description.resolve(media["x-item-schema"], [])
  const kinds = new Map<string, ReadonlyArray<string>>(
    union["anyOf"].map((one: Json) => {
      const [kind, pointer] = description.resolve(one, [])
      return [kind["properties"].event.enum[0], pointer]
    })
  )
  return eventsOf(new TextDecoder().decode(body)).flatMap((event) => {
    const pointer = kinds.get(event["event"] ?? "")
    if (pointer === undefined) return [`the event ${event["event"]} is not described`]
    const fault = description.faultOf(pointer, event) ?? description.faultOf(
      [...pointer, "properties", "data", "contentSchema"],
      asJson(new TextEncoder().encode(event["data"] ?? ""))
    )
    return fault === undefined ? [] : [`the event ${event["event"]} (${event["data"]}): ${fault}`]
  })
}

const bodyFaults = (
  description: Description,
  [response, pointer]: readonly [Json, ReadonlyArray<string>],
  seen: Seen
): ReadonlyArray<string> => {
  const { body, headers, method, whole } = seen
  const type = headers["content-type"]?.split(";")[0]!.trim()
  const media: Json | undefined = type === undefined ? undefined : response["content"]?.[type]
  // A response to `HEAD` has the headers of the `GET` response.
  if (method === "HEAD") return body.length === 0 ? [] : ["a HEAD has a body"]
  if (response["content"] === undefined) {
    return body.length === 0 ? [] : ["a body is not described"]
  }
  if (media === undefined) return [`the type ${type} is not described`]
  if (media["x-item-schema"] !== undefined) return eventFaults(description, media, seen)
  if (!whole || !/\bjson$/.test(type!)) return []
  const json = asJson(body)
  if (json === undefined) return ["the body is no JSON"]
  const fault = description.faultOf([...pointer, "content", type!, "schema"], json)
  return fault === undefined ? [] : [`the body: ${fault}`]
}

const faultsBy = (
  description: Description,
  pointer: ReadonlyArray<string>,
  declared: Json,
  seen: Seen
): ReadonlyArray<string> => {
  const found = description.resolve(declared, pointer)
  return [...headerFaults(description, found[0], seen), ...bodyFaults(description, found, seen)]
}

const isProblem = ({ headers }: Seen): boolean => headers["content-type"] === "application/problem+json"

/** Checks a 405 response: its `allow` header must list the path's methods. */
const methodFaults = (description: Description, { headers, path, status }: Seen): ReadonlyArray<string> => {
  const methods = isPage(path) ? ["GET", "HEAD"] : otherProtocols.has(path) ? ["POST"] : description.methods(path)
  const allow = methods.join(", ")
  return status === 405 && headers["allow"] === allow ? [] : [`${status} allows ${headers["allow"]}, not ${allow}`]
}

/** Checks a response where the document has no operation. */
const faultsElsewhere = (description: Description, seen: Seen): ReadonlyArray<string> => {
  const { headers, method, path, status } = seen
  if (method === "OPTIONS" && status === 204) return []
  if (isPage(path) && [200, 302, 304, 308].includes(status)) return []
  if (status === 405) return methodFaults(description, seen)
  const isCall = otherProtocols.has(path) || /^\/v1\/tools\/[^/]*$/.test(path)
  // A `HEAD` response has no body to check.
  if (method === "HEAD") return status >= 400 ? [] : [`answered ${status}`]
  const code = codeOf(seen)
  const pointer = isCall || anywhere.has(code) ? description.refusal(status, code) : undefined
  if (status < 400 || pointer === undefined) {
    return [`the document has no such operation, and it answered ${status} ${headers["content-type"]} (${code})`]
  }
  return faultsBy(description, pointer, { $ref: `#/${pointer.join("/")}` }, seen)
}

/** Returns all differences between a response and the document. Each message names the request. */
export const judge = (description: Description, seen: Seen): ReadonlyArray<string> => {
  const { method, path, status } = seen
  if (otherProtocols.has(path) && !isProblem(seen)) return []
  const operation = description.operation(method === "HEAD" ? "GET" : method, path)
  const response = operation?.responses[status]
  const faults = operation === undefined
    ? faultsElsewhere(description, seen)
    : response === undefined
    ? [`the status is not described`]
    : faultsBy(description, [...operation.pointer, "responses", String(status)], response, seen)
  return faults.map((fault) => `${method} ${path} ${status}: ${fault}`)
}
