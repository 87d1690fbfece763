import type { Json, OpenApiDocument } from "./OpenApiDocument.ts"

/** The fields of a received server-sent event. Each field occurs at most once. */
export type ServerSentEvent = Readonly<Record<string, string>>

/** Parses the complete events of a text event stream, and skips comment lines, which begin with a colon. */
export const parseServerSentEvents = (text: string): ReadonlyArray<ServerSentEvent> =>
  text.split("\n\n").slice(0, -1).flatMap((block) => {
    const lines = block.split("\n").filter((line) => line !== "" && !line.startsWith(":"))
    return lines.length === 0 ? [] : [Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")]
      })
    )]
  })

/** A received HTTP response with the method and path of the request. */
export interface RecordedResponse {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly isComplete: boolean
}

/** Response headers that are valid although the OpenAPI document does not describe them. Proxies add `server`. */
const undocumentedHeaders = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-security-policy",
  "content-type",
  "date",
  "keep-alive",
  "server",
  "transfer-encoding",
  "vary",
  "x-content-type-options"
])

/** The paths of HTML pages, assets and redirects, which no OpenAPI document describes. */
const pagePaths = new Set(["/", "/app", "/docs", "/docs/guide", "/docs/scalar.js", "/openapi.json"])
const isPageOfSite = (path: string): boolean => path.startsWith("/docs/guide/")
const isPage = (path: string): boolean => pagePaths.has(path) || path.startsWith("/app/") || isPageOfSite(path)

/** The paths of other protocols, such as MCP, at which only error responses are validated. */
const otherProtocolPaths = new Set(["/mcp"])

/** The error codes that are also valid for unknown paths, unknown methods and malformed HTTP requests. */
const codesOfAnyPath = new Set([
  "headers_too_large",
  "internal",
  "invalid_arguments",
  "invalid_request",
  "not_found",
  "request_timeout",
  "unavailable"
])

const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

const problemCodeOf = ({ body }: RecordedResponse): string => {
  const problem = parseJson(body)
  return typeof problem === "object" && problem !== null && "code" in problem ? String(problem.code) : "no code"
}

const findHeaderErrors = (
  description: OpenApiDocument,
  response: Json,
  { headers }: RecordedResponse
): ReadonlyArray<string> => {
  const declared = new Map(
    Object.entries<Json>(response["headers"] ?? {}).map(([name, one]) => [name, description.resolve(one, [])])
  )
  const missing = [...declared].filter(([name, [{ required }]]) => required === true && headers[name] === undefined)
  const presentHeaders = Object.entries(headers).filter(([name]) =>
    !undocumentedHeaders.has(name) && !name.startsWith("access-control-")
  )
  return [
    ...missing.map(([name]) => `the header ${name} is missing`),
    ...presentHeaders.flatMap(([name, value]) => {
      const declaredHeader = declared.get(name)
      if (declaredHeader === undefined) return [`the header ${name} is not described`]
      const [{ schema }, pointer] = declaredHeader
      const typedValue = schema.type === "integer" && /^-?\d+$/.test(value) ? Number(value) : value
      const error = description.validate([...pointer, "schema"], typedValue)
      return error === undefined ? [] : [`the header ${name} is ${value}: ${error}`]
    })
  ]
}

/**
 * Validates each server-sent event against the schema of the event's kind, and the event's `data` against the data
 * schema.
 */
const findEventErrors = (
  description: OpenApiDocument,
  media: Json,
  { body }: RecordedResponse
): ReadonlyArray<string> => {
  const [union] = description.resolve(media["x-item-schema"], [])
  const kinds = new Map<string, ReadonlyArray<string>>(
    union["anyOf"].map((variant: Json) => {
      const [kind, pointer] = description.resolve(variant, [])
      return [kind["properties"].event.enum[0], pointer]
    })
  )
  return parseServerSentEvents(new TextDecoder().decode(body)).flatMap((event) => {
    const pointer = kinds.get(event["event"] ?? "")
    if (pointer === undefined) return [`the event ${event["event"]} is not described`]
    const error = description.validate(pointer, event) ?? description.validate(
      [...pointer, "properties", "data", "contentSchema"],
      parseJson(new TextEncoder().encode(event["data"] ?? ""))
    )
    return error === undefined ? [] : [`the event ${event["event"]} (${event["data"]}): ${error}`]
  })
}

const findBodyErrors = (
  description: OpenApiDocument,
  [response, pointer]: readonly [Json, ReadonlyArray<string>],
  recordedResponse: RecordedResponse
): ReadonlyArray<string> => {
  const { body, headers, method, isComplete } = recordedResponse
  const type = headers["content-type"]?.split(";")[0]!.trim()
  const media: Json | undefined = type === undefined ? undefined : response["content"]?.[type]
  if (method === "HEAD") return body.length === 0 ? [] : ["a HEAD has a body"]
  if (response["content"] === undefined) {
    return body.length === 0 ? [] : ["a body is not described"]
  }
  if (media === undefined) return [`the type ${type} is not described`]
  if (media["x-item-schema"] !== undefined) return findEventErrors(description, media, recordedResponse)
  if (!isComplete || !/\bjson$/.test(type!)) return []
  const json = parseJson(body)
  if (json === undefined) return ["the body is no JSON"]
  const error = description.validate([...pointer, "content", type!, "schema"], json)
  return error === undefined ? [] : [`the body: ${error}`]
}

const findResponseErrors = (
  description: OpenApiDocument,
  pointer: ReadonlyArray<string>,
  declared: Json,
  recordedResponse: RecordedResponse
): ReadonlyArray<string> => {
  const response = description.resolve(declared, pointer)
  return [
    ...findHeaderErrors(description, response[0], recordedResponse),
    ...findBodyErrors(description, response, recordedResponse)
  ]
}

const isProblem = ({ headers }: RecordedResponse): boolean => headers["content-type"] === "application/problem+json"

/** Checks that the `allow` header of a 405 response lists the methods of the path. */
const findMethodErrors = (
  description: OpenApiDocument,
  { headers, path, status }: RecordedResponse
): ReadonlyArray<string> => {
  const methods = isPage(path)
    ? ["GET", "HEAD"]
    : otherProtocolPaths.has(path)
    ? ["POST"]
    : description.allowedMethods(path)
  const allow = methods.join(", ")
  return status === 405 && headers["allow"] === allow ? [] : [`${status} allows ${headers["allow"]}, not ${allow}`]
}

const findErrorsOfUnknownOperation = (
  description: OpenApiDocument,
  recordedResponse: RecordedResponse
): ReadonlyArray<string> => {
  const { headers, method, path, status } = recordedResponse
  if (method === "OPTIONS" && status === 204) return []
  if (isPage(path) && [200, 302, 304, 308].includes(status)) return []
  // The documentation site has its own page for an unknown path.
  if (isPageOfSite(path) && status === 404 && headers["content-type"]?.startsWith("text/html") === true) return []
  if (status === 405) return findMethodErrors(description, recordedResponse)
  const isCall = otherProtocolPaths.has(path) || /^\/v1\/tools\/[^/]*$/.test(path)
  if (method === "HEAD") return status >= 400 ? [] : [`answered ${status}`]
  const code = problemCodeOf(recordedResponse)
  const pointer = isCall || codesOfAnyPath.has(code) ? description.findProblemResponse(status, code) : undefined
  if (status < 400 || pointer === undefined) {
    return [`the document has no such operation, and it answered ${status} ${headers["content-type"]} (${code})`]
  }
  return findResponseErrors(description, pointer, { $ref: `#/${pointer.join("/")}` }, recordedResponse)
}

/** Returns all differences between an HTTP response and the OpenAPI document, with the request in each message. */
export const validateResponse = (
  description: OpenApiDocument,
  recordedResponse: RecordedResponse
): ReadonlyArray<string> => {
  const { method, path, status } = recordedResponse
  if (otherProtocolPaths.has(path) && !isProblem(recordedResponse)) return []
  const operation = description.findOperation(method === "HEAD" ? "GET" : method, path)
  const response = operation?.responses[status]
  const errors = operation === undefined
    ? findErrorsOfUnknownOperation(description, recordedResponse)
    : response === undefined
    ? [`the status is not described`]
    : findResponseErrors(description, [...operation.pointer, "responses", String(status)], response, recordedResponse)
  return errors.map((fault) => `${method} ${path} ${status}: ${fault}`)
}
