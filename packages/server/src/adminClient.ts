import {
  adminAccountDataGroup,
  AdminAuthorization,
  backupsGroup,
  linksGroup,
  servedAdministrationApi,
  webhooksGroup
} from "@tapeline/api"
import { formatIssues } from "@tapeline/core/engine"
import { Effect, Layer, Predicate, Schema } from "effect"
import { FetchHttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { readFileSync } from "node:fs"
import { adminTokenFile } from "./adminToken.ts"
import { definedVariables } from "./environment.ts"
import { withSecretFiles } from "./secretFiles.ts"

/** The admin API could not be reached, or rejected the request. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

const api = servedAdministrationApi.add(linksGroup, webhooksGroup).add(adminAccountDataGroup).add(backupsGroup)
const makeClient = (baseUrl: string) =>
  Effect.map(
    HttpApiClient.make(api, { baseUrl }),
    ({
      admin,
      adminAccountData,
      adminCredits,
      adminKeys,
      adminTokens,
      adminWork,
      backups,
      links,
      usageReport,
      webhooks
    }) => ({
      ...admin,
      ...adminKeys,
      ...adminWork,
      ...adminCredits,
      ...adminTokens,
      ...usageReport,
      ...links,
      ...webhooks,
      ...adminAccountData,
      ...backups
    })
  )

export type AdminClient = Effect.Success<ReturnType<typeof makeClient>>

/** Reads the admin token from its environment variable, a secret file, or the data folder of a local server. */
const readToken = (variables: Readonly<Record<string, string>>) => {
  const { environment, problems: [problem] } = withSecretFiles(variables, ["TAPELINE_ADMIN_TOKEN"])
  if (problem !== undefined) {
    return Effect.fail(new CommandFailed({ reason: `${problem.variable}: ${problem.message}` }))
  }
  return Effect.try({
    try: () =>
      environment["TAPELINE_ADMIN_TOKEN"] ??
        readFileSync(adminTokenFile(variables["TAPELINE_DATA_DIR"] ?? "./data"), "utf8"),
    catch: () =>
      new CommandFailed({
        reason: "No admin token: set TAPELINE_ADMIN_TOKEN, or set TAPELINE_DATA_DIR to the server's data folder."
      })
  })
}

interface RequestIssue {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

interface Problem {
  readonly status: number
  readonly detail: string
  readonly issues?: ReadonlyArray<RequestIssue>
}

const isProblem = Predicate.compose(
  Predicate.hasProperty("status"),
  (problem): problem is Problem => Predicate.hasProperty(problem, "detail")
)

const formatIssueLines = (prefix: string, issues: ReadonlyArray<RequestIssue>): string =>
  issues.map(({ message, path }) => `${prefix}${path.join(".")}: ${message}`).join("\n")

/** Returns the status and the detail of a problem, or the field and the message of each issue. */
const formatProblem = ({ detail, issues = [], status }: Problem): string =>
  status === 401
    ? `401: The server does not accept the admin token, or it expired or was revoked. Set TAPELINE_ADMIN_TOKEN.`
    : issues.length === 0
    ? `${status}: ${detail}`
    : formatIssueLines(`${status}: `, issues)

const toCommandFailed = (error: unknown, address: string): CommandFailed => {
  if (error instanceof CommandFailed) return error
  if (isProblem(error)) {
    return new CommandFailed({ reason: formatProblem(error) })
  }
  if (HttpClientError.isHttpClientError(error)) {
    return new CommandFailed({
      reason: error.response === undefined
        ? `No Tapeline server responds at ${address}; set TAPELINE_URL to its address.`
        : `${error.response.status}: ${address} is not a Tapeline admin API; set TAPELINE_URL to its address.`
    })
  }
  if (Schema.isSchemaError(error)) {
    // The client checks the arguments before it sends a request, with the same messages as the server.
    return new CommandFailed({ reason: formatIssueLines("", formatIssues(error.issue, "en")) })
  }
  return new CommandFailed({ reason: error instanceof Error ? error.message : String(error) })
}

/**
 * Creates a client of the admin API and runs `use` with the client. The URL and the token come from the variables in
 * `environment`.
 */
export const withAdminClient = <A, E, R>(
  environment: Readonly<Record<string, string | undefined>>,
  use: (client: AdminClient) => Effect.Effect<A, E, R>
): Effect.Effect<A, CommandFailed, R> => {
  const variables = definedVariables(environment)
  const address = (variables["TAPELINE_URL"] ?? "http://127.0.0.1:8787").replace(/\/+$/, "")
  return Effect.gen(function*() {
    if (!/^https?:\/\//u.test(address)) {
      return yield* new CommandFailed({ reason: `TAPELINE_URL is ${address}. It must begin with http:// or https://.` })
    }
    const token = (yield* readToken(variables)).trim()
    const authorization = HttpApiMiddleware.layerClient(
      AdminAuthorization,
      ({ next, request }) => next(HttpClientRequest.bearerToken(request, token))
    )
    return yield* Effect.flatMap(makeClient(address), use).pipe(
      Effect.provide(Layer.merge(FetchHttpClient.layer, authorization))
    )
  }).pipe(Effect.mapError((error) => toCommandFailed(error, address)))
}
